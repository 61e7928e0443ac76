"""Recurrent layers, networks for signals, and models of other kinds."""
import torch
from torch import nn
from torch.nn import functional as F

from torch_models import model
from torch_text import Call


@model("x[B,L,6]")
def lstm_stack():
    def forward(self, x):
        out, (h, c) = self.lstm(x)
        return out, h, c
    return Call(forward, lstm=nn.LSTM(6, 8, 2, batch_first=True))


@model("x[L,B,6] h[2,B,8] c[2,B,8]")
def lstm_both_ways():
    def forward(self, x, h, c):
        out, (h, c) = self.lstm(x, (h, c))
        return self.head(out), h, c
    return Call(forward, lstm=nn.LSTM(6, 8, 1, bidirectional=True),
                head=nn.Linear(16, 3))


@model("x[B,L,6]")
def lstm_stack_both_ways():
    def forward(self, x):
        out, (h, _) = self.lstm(x)
        return torch.cat((h[-2], h[-1]), dim=1), out[:, -1]
    return Call(forward, lstm=nn.LSTM(6, 8, 2, bidirectional=True,
                                      batch_first=True, dropout=0.2))


@model("x[B,L,6]")
def gru_stack():
    def forward(self, x):
        out, h = self.gru(x)
        return self.head(out[:, -1, :]), h
    return Call(forward, gru=nn.GRU(6, 8, 2, batch_first=True),
                head=nn.Linear(8, 3))


@model("x[L,B,6] h[4,B,8]")
def gru_both_ways():
    return nn.GRU(6, 8, 2, bidirectional=True)


@model("x[B,L,6]")
def rnn_relu():
    return nn.RNN(6, 8, 2, nonlinearity="relu", batch_first=True)


@model("x[L,B,6]")
def rnn_tanh_no_bias():
    return nn.RNN(6, 8, bidirectional=True, bias=False)


@model("x[B,1,16,W]", sizes={"W": (20, 31, 50)})
def crnn():
    def forward(self, x):
        x = self.net(x)
        batch, channels, height, width = x.shape
        x = x.view(batch, channels * height, width).permute(2, 0, 1)
        out, _ = self.lstm(x)
        return F.log_softmax(self.head(out), dim=2)
    return Call(forward, net=nn.Sequential(
        nn.Conv2d(1, 6, 3, 1, 1), nn.ReLU(), nn.MaxPool2d(2, 2),
        nn.Conv2d(6, 8, 3, 1, 1), nn.BatchNorm2d(8), nn.ReLU(),
        nn.MaxPool2d((2, 2), (2, 1), (0, 1))),
        lstm=nn.LSTM(32, 8, bidirectional=True), head=nn.Linear(16, 11))


@model("x[L,B,6]", exporters=("torchscript",))
def packed_lstm():
    """Sequences of other lengths, of which the exporter makes an input of the
    layer."""
    def forward(self, x):
        length = x.shape[0]
        lengths = length - torch.arange(x.shape[1])
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths)
        out, (h, _) = self.lstm(packed)
        return nn.utils.rnn.pad_packed_sequence(out)[0], h
    return Call(forward, lstm=nn.LSTM(6, 8, bidirectional=True))


@model("x[B,L,6]")
def seq2seq_attention():
    """A decoder of cells, which looks at all of the encoder's states."""
    def forward(self, x):
        memory, h = self.encoder(x)
        h, token, outputs = h[0], x.new_zeros(x.shape[0], 8), []
        for _ in range(4):
            energy = torch.tanh(self.query(h).unsqueeze(1) + self.key(memory))
            weights = F.softmax(self.energy(energy).squeeze(-1), dim=1)
            context = torch.bmm(weights.unsqueeze(1), memory).squeeze(1)
            h = self.cell(torch.cat((token, context), 1), h)
            token = torch.tanh(h)
            outputs.append(self.head(h))
        return torch.stack(outputs, 1)
    return Call(forward, encoder=nn.GRU(6, 8, batch_first=True),
                query=nn.Linear(8, 8), key=nn.Linear(8, 8),
                energy=nn.Linear(8, 1), cell=nn.GRUCell(16, 8),
                head=nn.Linear(8, 5))


@model("x[B,5,6]")
def lstm_cells():
    def forward(self, x):
        h = c = x.new_zeros(x.shape[0], 8)
        for step in x.unbind(1):
            h, c = self.cell(step, (h, c))
        return h, c
    return Call(forward, cell=nn.LSTMCell(6, 8))


@model("x[B,4,L]", sizes={"L": (20, 31, 67)})
def temporal_convolutions():
    def forward(self, x):
        for conv, width in zip(self.convs, (1, 2, 4)):
            y = F.relu(conv(F.pad(x, (2 * width, 0))))
            x = F.relu(x + y) if y.shape == x.shape else y
        return self.head(x)
    convs = nn.ModuleList(
        nn.utils.parametrizations.weight_norm(
            nn.Conv1d(inputs, 8, 3, dilation=width))
        for inputs, width in ((4, 1), (8, 2), (8, 4)))
    return Call(forward, convs=convs, head=nn.Conv1d(8, 2, 1))


@model("x[B,1,L]", sizes={"L": (24, 33, 70)})
def wavenet():
    def forward(self, x):
        x, skips = self.first(x), 0
        for filters, gate, skip in zip(self.filters, self.gates, self.skips):
            y = torch.tanh(filters(x)) * torch.sigmoid(gate(x))
            skips = skips + skip(y)
            x = x + y
        return self.last(F.leaky_relu(skips, 0.1))

    def many():
        return nn.ModuleList(nn.Conv1d(6, 6, 3, padding=width, dilation=width)
                             for width in (1, 2, 4))
    return Call(forward, first=nn.Conv1d(1, 6, 1), filters=many(),
                gates=many(), last=nn.Conv1d(6, 2, 1),
                skips=nn.ModuleList(nn.Conv1d(6, 6, 1) for _ in range(3)))


@model("x[B,8,L]")
def vocoder():
    """Enlarges a signal by transposed convolutions."""
    return nn.Sequential(
        nn.Conv1d(8, 8, 7, padding=3), nn.LeakyReLU(0.1),
        nn.ConvTranspose1d(8, 6, 4, 2, 1), nn.LeakyReLU(0.1),
        nn.ConvTranspose1d(6, 4, 5, 3, 1, output_padding=1), nn.ELU(),
        nn.Conv1d(4, 1, 3, padding=1, padding_mode="reflect"), nn.Tanh())


@model("mel[B,8,L]", sizes={"L": (10, 14, 34)})
def whisper_encoder():
    layer = nn.TransformerEncoderLayer(16, 2, 32, activation="gelu",
                                       batch_first=True, norm_first=True)

    def forward(self, mel):
        x = F.gelu(self.conv1(mel))
        x = F.gelu(self.conv2(x)).permute(0, 2, 1)
        return self.layer(x + self.places[:x.shape[1]])
    return Call(forward, conv1=nn.Conv1d(8, 16, 3, padding=1), layer=layer,
                conv2=nn.Conv1d(16, 16, 3, stride=2, padding=1),
                places=torch.zeros(20, 16))


@model("dense[B,5] one[B]<20 two[B]<30")
def click_rates():
    """A product of embeddings and features, the lower triangle of it."""
    def forward(self, dense, one, two):
        features = torch.stack((F.relu(self.bottom(dense)), self.one(one),
                                self.two(two)), 1)
        products = torch.bmm(features, features.transpose(1, 2))
        rows, columns = torch.tril_indices(3, 3, -1)
        flat = products[:, rows, columns]
        return torch.sigmoid(self.top(torch.cat((features[:, 0], flat), 1)))
    return Call(forward, bottom=nn.Linear(5, 8), one=nn.Embedding(20, 8),
                two=nn.Embedding(30, 8), top=nn.Linear(11, 1))


@model("ids[B,L]<20 weights[B,L]")
def embedding_bag():
    def forward(self, ids, weights):
        return (self.bag(ids, per_sample_weights=weights),
                F.one_hot(ids, 20).sum(1))
    return Call(forward, bag=nn.EmbeddingBag(20, 8, mode="sum"))


@model("points[B,L,3]")
def point_net():
    def forward(self, points):
        x = self.local(points.transpose(1, 2))
        whole = torch.max(x, 2, keepdim=True)[0]
        whole = whole.view(-1, 8, 1).repeat(1, 1, x.shape[2])
        return F.log_softmax(self.head(torch.cat((x, whole), 1)), 1)
    return Call(forward, local=nn.Sequential(
        nn.Conv1d(3, 8, 1), nn.BatchNorm1d(8), nn.ReLU()),
        head=nn.Conv1d(16, 4, 1))


@model("points[B,L,3] rays[B,L,3]")
def radiance_field():
    def forward(self, points, rays):
        rates = 2.0 ** torch.arange(4, dtype=points.dtype)
        angles = (points[..., None] * rates).flatten(-2)
        x = torch.cat((points, angles.sin(), angles.cos()), -1)
        x = F.softplus(self.first(x), beta=2)
        rays = F.normalize(rays, dim=-1, eps=1e-3)
        colour = torch.sigmoid(self.colour(torch.cat((x, rays), -1)))
        density = F.relu(self.density(x)).squeeze(-1)
        alpha = 1 - torch.exp(-density * 0.1)
        ones = torch.ones_like(alpha[:, :1])
        light = torch.exp(torch.cumsum(torch.log(
            torch.cat((ones, 1 - alpha + 1e-3), 1)), 1))[:, :-1]
        return ((alpha * light)[..., None] * colour).sum(1)
    return Call(forward, first=nn.Linear(27, 16), colour=nn.Linear(19, 3),
                density=nn.Linear(16, 1))


@model("nodes[L,6] edges[2,S]<5", exporters=("dynamo",))
def graph_convolution():
    """Messages along edges, added up at their targets."""
    def forward(self, nodes, edges):
        x = self.message(nodes)
        sums = torch.zeros_like(x).index_add(0, edges[1], x[edges[0]])
        counts = x.new_zeros(x.shape[0]).scatter_add(
            0, edges[1], torch.ones_like(edges[1], dtype=x.dtype))
        return F.elu(self.own(nodes) + sums / counts.clamp(min=1)[:, None])
    return Call(forward, message=nn.Linear(6, 8), own=nn.Linear(6, 8))


@model("x[B,12]")
def autoencoder():
    def forward(self, x):
        mean, spread = self.encode(x).chunk(2, 1)
        z = mean + torch.exp(0.5 * spread)
        return self.decode(z), -0.5 * (1 + spread - mean.pow(2)
                                       - spread.exp()).sum(1)
    return Call(forward, encode=nn.Sequential(
        nn.Linear(12, 16), nn.SELU(), nn.BatchNorm1d(16), nn.Linear(16, 8)),
        decode=nn.Sequential(nn.Linear(4, 16), nn.Mish(), nn.Linear(16, 12),
                             nn.Softsign()))


@model("x[B,4,12]")
def sorted_values():
    def forward(self, x):
        values, order = torch.sort(x + self.ramp, dim=-1, descending=True)
        return values, order, torch.argmax(x, 1), x.std(-1), x.cumsum(1)
    return Call(forward, ramp=torch.arange(12) / 64)


@model("x[B,L,8] y[B,S,8]", exporters=("torchscript",))
def distances():
    def forward(self, x, y):
        x, y = self.embed(x), self.embed(y)
        between = torch.cdist(x, y)
        return between.min(-1).values, torch.logsumexp(-between, 2), F.softmin(
            between, 1)
    return Call(forward, embed=nn.Linear(8, 4))


@model("x[B,3,10] mask[B,10]?")
def masked_pools():
    def forward(self, x, mask):
        x = self.conv(x)
        kept = mask.unsqueeze(1)
        mean = (x * kept).sum(2) / kept.sum(2)
        top = x.masked_fill(~kept, float("-inf")).amax(2)
        return mean, top, torch.where(kept, x, -x.abs()), x.triu(1)
    return Call(forward, conv=nn.Conv1d(3, 6, 3, padding=1,
                                        padding_mode="circular"))
