"""Positions of elements, and what people do with them. Each function continues
the graph from `x`, or from an input if that is None."""
import math


def as_floats(b, x):
    return b.op("cast", x, to=b.dtype)


def extreme_position(b, x, axis):
    """Positions along a dim, which stays as one element."""
    name = b.choose(("arg_max", "arg_min"))
    flags = {"last": True} if b.chance(0.3) else {}
    return b.op(name, x, axis=axis, **flags)


def best_class(b, x):
    """Where the largest element is, as a number or as marks of one class."""
    x = b.pointwise(b.of_rank(x, b.choose((1, 2, 3))))
    axis = b.random.randrange(x.rank)
    at = extreme_position(b, x, axis)
    if b.chance(0.4):
        return b.pointwise(as_floats(b, at), 1)
    shape = [size for dim, size in enumerate(x.shape) if dim != axis]
    marks = b.op("one_hot", b.reshape(at, shape), depth=x.shape[axis],
                 axis=axis)
    marks = as_floats(b, marks)
    return b.pointwise(marks if b.exact else b.op("mul", marks, x))


def best_element(b, x):
    """The element at the position of the largest one, from another tensor."""
    x = b.pointwise(b.of_rank(x, b.choose((2, 3))))
    axis = b.random.randrange(x.rank)
    at = extreme_position(b, x, axis)
    other = b.input(x.shape) if b.chance(0.3) else x
    return b.pointwise(b.op("take_along_axis", b.pointwise(other, 1), at,
                            axis=axis))


def best_few(b, x):
    """The largest elements, with their positions or as weights of experts."""
    x = b.pointwise(b.of_rank(x, b.choose((1, 2, 3))))
    axis = b.random.randrange(x.rank)
    k = b.choose([n for n in (1, 2, 3, x.shape[axis]) if n <= x.shape[axis]])
    flags = {"largest": False} if b.chance(0.3) else {}
    at = b.op("top_k", x, k=k, axis=axis, **flags)
    few = b.op("take_along_axis", x, at, axis=axis)
    if not b.exact and b.chance(0.3):
        few = b.op("softmax", few, axis=axis)
    elif b.chance(0.4):
        few = b.concat([few, as_floats(b, at)], axis)
    return b.pointwise(few)


def embedding(b, x):
    """Rows of a table for a matrix of indices, some of them computed."""
    x = b.pointwise(b.of_rank(x, 2))
    rows = x.shape[0]
    shape = b.choose(([3], [2, 3], [1, 5], [5, 2]))
    indices = b.constant(b.elements.randint(-rows, rows, shape))
    if b.chance(0.5):
        indices = wrapped(b, indices, rows)
    return b.pointwise(b.op("gather", x, indices, axis=0))


def wrapped(b, indices, size):
    """Arithmetic of integers, whose result is in range."""
    by = b.constant(b.elements.randint(1, 4, ()))
    moved = b.op(b.choose(("add", "mul", "sub")), indices, by)
    return b.op("mod", moved, b.constant(b.elements.randint(size, size + 1,
                                                            ())))


def neighbour_of_best(b, x):
    """A row at some distance from a position that is found in the run."""
    x = b.pointwise(b.of_rank(x, 2))
    rows = x.shape[0]
    at = b.reshape(extreme_position(b, x, 0), [-1])
    found = b.op("take", x, wrapped(b, at, rows), axis=0)
    return b.pointwise(found)


def scattered(b, x):
    """Elements are replaced, or added up where a position comes again."""
    x = b.pointwise(b.of_rank(x, b.choose((1, 2))))
    axis = b.random.randrange(x.rank)
    shape = [b.choose((size, max(1, size - 1))) for size in x.shape]
    shape[axis] = b.choose((1, 2, 3, x.shape[axis]))
    if math.prod(shape) > 512:
        return b.pointwise(x)
    size = x.shape[axis]
    indices = b.constant(b.elements.randint(b.choose((0, -size)), size, shape))
    updates = b.pointwise(b.input(shape))
    flags = ({} if b.exact or b.chance(0.5) else {"reduction": '"sum"'})
    return b.pointwise(b.op("scatter_elements", x, indices, updates, axis=axis,
                            **flags))


MOVES = (best_class, best_element, best_few, embedding, neighbour_of_best,
         scattered)
IDIOMS = MOVES
