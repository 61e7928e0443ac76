"""Updates of optimisers, by the formulas of the papers, and accuracies."""
import numpy as np

from .cases import wide


def decayed(w, g, rate, a):
    """The parameter and the gradient after weight decay."""
    decay = a.get("weight_decay", 0)
    if a.get("decoupled_decay"):
        return w * (1 - rate * decay), g
    return w, g + decay * w


def sgd(inputs, a):
    w, g, rate, *state = map(wide, inputs)
    w, g = decayed(w, g, rate, a)
    if not state:
        return w - rate * g
    momentum = a["momentum"]
    inside, outside = (rate, 1) if a.get("rate_inside") else (1, rate)
    v = momentum * state[0] + inside * g
    step = momentum * v + inside * g if a.get("nesterov") else v
    return [w - outside * step, v]


def adam(inputs, a):
    w, g, rate, correction1, correction2, m, v = map(wide, inputs)
    w, g = decayed(w, g, rate, a)
    beta1, beta2 = a.get("beta1", 0.9), a.get("beta2", 0.999)
    epsilon = a.get("epsilon", 1e-8)
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * np.square(g)
    # The moments without their bias.
    root = np.sqrt(v * correction2**2)
    root += epsilon * correction2 if a.get("epsilon_hat") else epsilon
    return [w - rate * (m * correction1) / root, m, v]


def adamw(inputs, a):
    return adam(inputs, {"weight_decay": 0.01, "decoupled_decay": True, **a})


def divide_by_root(g, squares, a, epsilon):
    epsilon = a.get("epsilon", epsilon)
    if a.get("epsilon_inside"):
        return g / np.sqrt(squares + epsilon)
    return g / (np.sqrt(squares) + epsilon)


def rmsprop(inputs, a):
    w, g, rate, squares, *state = map(wide, inputs)
    w, g = decayed(w, g, rate, a)
    rho = a.get("rho", 0.99)
    squares = rho * squares + (1 - rho) * np.square(g)
    results, spread = [squares], squares
    if a.get("centered"):
        results.append(rho * state[0] + (1 - rho) * g)
        spread = squares - np.square(results[-1])
    step = divide_by_root(g, spread, a, 1e-8)
    if not a.get("momentum"):
        return [w - rate * step, *results]
    inside, outside = (rate, 1) if a.get("rate_inside") else (1, rate)
    buffer = a["momentum"] * state[-1] + inside * step
    return [w - outside * buffer, *results, buffer]


def adagrad(inputs, a):
    w, g, rate, total = map(wide, inputs)
    w, g = decayed(w, g, rate, a)
    total = total + np.square(g)
    return [w - rate * divide_by_root(g, total, a, 1e-10), total]


def adadelta(inputs, a):
    w, g, rate, squares, deltas = map(wide, inputs)
    w, g = decayed(w, g, rate, a)
    rho, epsilon = a.get("rho", 0.9), a.get("epsilon", 1e-6)
    squares = rho * squares + (1 - rho) * np.square(g)
    delta = np.sqrt(deltas + epsilon) / np.sqrt(squares + epsilon) * g
    deltas = rho * deltas + (1 - rho) * np.square(delta)
    return [w - rate * delta, squares, deltas]


def accuracy(x, labels, a):
    """The share of right rows, by sorting. NaN comes before all numbers, and is
    never right itself."""
    classes = x.shape[-1]
    x, labels = wide(x).reshape(-1, classes), labels.reshape(-1)
    kept = labels != a.get("ignored", -100)
    order = np.lexsort((-x, ~np.isnan(x)), -1)
    top = order[:, :a.get("k", 1)]
    own = np.take_along_axis(x, np.where(kept, labels, 0)[:, None], -1)
    right = (top == labels[:, None]).any(-1) & kept & ~np.isnan(own[:, 0])
    return np.float32(right.sum() / max(kept.sum(), 1))
