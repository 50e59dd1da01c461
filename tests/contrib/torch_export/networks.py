"""Networks as their authors write them in torch."""

import torch
from torch import nn
from torch.nn.functional import relu, scaled_dot_product_attention


class Residual(nn.Module):
    """Two convolutions and a way around them."""

    def __init__(self, inputs: int, outputs: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        identity = x if self.downsample is None else self.downsample(x)
        out = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        out += identity
        return self.relu(out)


class ResNet(nn.Module):
    """A small ResNet."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(8)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        self.layer1 = nn.Sequential(Residual(8, 8), Residual(8, 8))
        self.layer2 = nn.Sequential(Residual(8, 16, 2), Residual(16, 16))
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(16, 10)

    def forward(self, x):
        x = self.maxpool(relu(self.bn1(self.conv1(x))))
        x = self.avgpool(self.layer2(self.layer1(x)))
        return self.fc(torch.flatten(x, 1))


class Inverted(nn.Module):
    """MobileNet's block: wide, depthwise, narrow; with an attention of channels."""

    def __init__(self, width: int, factor: int) -> None:
        super().__init__()
        hidden = width * factor
        self.layers = nn.Sequential(
            *(nn.Conv2d(width, hidden, 1, bias=False), nn.BatchNorm2d(hidden), nn.ReLU6(inplace=True)),
            *(nn.Conv2d(hidden, hidden, 3, padding=1, groups=hidden, bias=False), nn.BatchNorm2d(hidden), nn.ReLU6()),
        )
        self.squeeze, self.excite = nn.Conv2d(hidden, 4, 1), nn.Conv2d(4, hidden, 1)
        self.project = nn.Sequential(nn.Conv2d(hidden, width, 1, bias=False), nn.BatchNorm2d(width))
        self.act = nn.Hardswish()

    def forward(self, x):
        y = self.layers(x)
        gate = nn.functional.hardsigmoid(self.excite(relu(self.squeeze(y.mean([2, 3], keepdim=True)))))
        return self.act(x + self.project(y * gate))


class Transformer(nn.Module):
    """Words to classes: embeddings, torch's encoder, attention of its own, a class token."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(50, 16)
        self.positions = nn.Parameter(torch.randn(1, 8, 16) * 0.1)
        self.token = nn.Parameter(torch.randn(1, 1, 16))
        layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True, activation="gelu", norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.qkv, self.out = nn.Linear(16, 48), nn.Linear(16, 5)
        self.norm = nn.LayerNorm(16)

    def forward(self, tokens):
        batch, length = tokens.shape
        x = self.embed(tokens) + self.positions[:, :length]
        x = torch.cat([self.token.expand(batch, -1, -1), x], 1)
        x = self.encoder(x)
        q, k, v = self.qkv(x).reshape(batch, length + 1, 3, 4, 4).permute(2, 0, 3, 1, 4).unbind(0)
        y = scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(batch, length + 1, 16)
        return self.out(self.norm(x + y)[:, 0])


class UNet(nn.Module):
    """Down and up again, with bridges."""

    def __init__(self) -> None:
        super().__init__()
        self.down1, self.down2 = self._block(3, 8), self._block(8, 16)
        self.up = nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.merge, self.head = self._block(24, 8), nn.Conv2d(8, 2, 1)

    @staticmethod
    def _block(inputs: int, outputs: int) -> nn.Module:
        return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1), nn.GroupNorm(2, outputs), nn.SiLU())

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(nn.functional.avg_pool2d(a, 2))
        larger = nn.functional.interpolate(b, scale_factor=2, mode="bilinear", align_corners=False)
        c = self.merge(torch.cat([self.up(b), larger], 1))
        return self.head(c + a).sigmoid(), nn.functional.interpolate(c, size=x.shape[2:]).argmax(1)


class MLP(nn.Module):
    """Dense layers with LayerNorm and GELU."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            *(nn.Flatten(), nn.Linear(12, 32), nn.LayerNorm(32), nn.GELU(), nn.Dropout(0.1)),
            *(nn.Linear(32, 16), nn.ELU(), nn.Linear(16, 4), nn.LogSoftmax(-1)),
        )

    def forward(self, x):
        return self.layers(x)
