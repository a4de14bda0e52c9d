#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
"""PolaSR in plain PyTorch, timed: what the benchmark compares pola-sr with.

usage: polasr_torch.py MODEL.safetensors fp32|bf16 THREADS WIDTH HEIGHT

First a line "ready", then for every line of standard input one run and its seconds; bf16 is bfloat16 autocast. The network is
written as a PyTorch user would write it; linear attention through matrix products, depth-wise convolutions through oneDNN.
"""
import json
import struct
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

MEAN = torch.tensor([0.4488, 0.4371, 0.4040]).view(1, 3, 1, 1)


def load(path):
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + length])
    meta = header.pop("__metadata__")
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        values = np.frombuffer(data[8 + length + begin : 8 + length + end], np.float32).copy()
        tensors[name] = torch.from_numpy(values).reshape(entry["shape"])
    return meta, tensors


class PolaSR:
    def __init__(self, path):
        meta, self.t = load(path)
        self.scale = int(meta["pola.scale"])
        self.depth = int(meta["pola.depth"])
        self.heads = int(meta["pola.heads"])
        self.dim = int(meta["pola.dim"])

    def conv(self, x, name, groups=1):
        w = self.t[name + ".weight"]
        return F.conv2d(x, w, self.t[name + ".bias"], padding=w.shape[-1] // 2, groups=groups)

    def depthwise(self, x, name):  # x (b, h, w, c)
        return self.conv(x.permute(0, 3, 1, 2), name, x.shape[-1]).permute(0, 2, 3, 1)

    def norm(self, x, name):
        return F.layer_norm(x.float(), x.shape[-1:], self.t[name + ".norm.weight"], self.t[name + ".norm.bias"], 1e-6)

    def linear(self, x, name):
        return F.linear(x, self.t[name + ".weight"], self.t[name + ".bias"])

    def attention(self, x, p, sin, cos):
        b, h, w, c = x.shape
        d, n = c // self.heads, h * w
        q, k, v, g = self.linear(x, p + "qkvg").split(c, -1)
        lepe = self.depthwise(v, p + "lepe")
        q, k, v = (u.reshape(b, n, self.heads, d).transpose(1, 2).float() for u in (q, k, v))
        t1, t2 = torch.sigmoid(self.t[p + "s1"]), torch.sigmoid(self.t[p + "s2"])
        same = torch.exp(torch.cat([F.relu(q), F.relu(-q)], -1) * t1) - 1
        opposite = torch.exp(torch.cat([F.relu(-q), F.relu(q)], -1) * t2) - 1
        key = torch.exp(torch.cat([F.relu(k), F.relu(-k)], -1)) - 1
        mean = key.mean(-2, keepdim=True)

        def rotate(u):
            return u * cos + torch.stack([-u[..., 1::2], u[..., ::2]], -1).flatten(-2) * sin

        state = rotate(key).transpose(-1, -2) @ v / n
        o1 = rotate(same) @ state[..., : d // 2] / ((same * mean).sum(-1, keepdim=True) + 1e-6)
        o2 = rotate(opposite) @ state[..., d // 2 :] / ((opposite * mean).sum(-1, keepdim=True) + 1e-6)
        o = torch.cat([o1, o2], -1).transpose(1, 2).reshape(b, h, w, c)
        return self.linear((o + lepe) * g, p + "proj")

    def ffn(self, x, p):
        x = F.gelu(self.linear(x, p + "fc1"))
        return self.linear(x + self.depthwise(x, p + "dwconv"), p + "fc2")

    def block(self, x, p, sin, cos):
        x = x + self.depthwise(x, p + "pos")
        x = x + self.t[p + "gamma_1"].view(-1) * self.attention(self.norm(x, p + "norm1"), p + "attn.", sin, cos)
        return x + self.t[p + "gamma_2"].view(-1) * self.ffn(self.norm(x, p + "norm2"), p + "ffn.")

    def rope(self, h, w):
        angle = 1.0 / 10000 ** torch.linspace(0, 1, self.dim // self.heads // 2)
        angle = angle.repeat_interleave(2)
        row = (torch.arange(h).float()[:, None] * angle)[:, None].expand(h, w, -1)
        column = (torch.arange(w).float()[:, None] * angle)[None].expand(h, w, -1)
        table = torch.cat([row, column], -1).reshape(h * w, -1)
        return table.sin(), table.cos()

    def __call__(self, x):  # (1, 3, h, w)
        sin, cos = self.rope(*x.shape[2:])
        shallow = self.conv((x - MEAN).to(memory_format=torch.channels_last), "conv_first")
        y = shallow.permute(0, 2, 3, 1)
        for i in range(self.depth):
            y = self.block(y, "blocks.%d." % i, sin, cos)
        deep = self.conv(y.permute(0, 3, 1, 2), "conv_after_body") + shallow
        out = self.conv(deep, "upsample").float() + x.repeat_interleave(self.scale**2, 1)
        return F.pixel_shuffle(out, self.scale).clamp(0, 1)


def main():
    path, precision, threads, width, height = *sys.argv[1:3], *map(int, sys.argv[3:6])
    torch.set_num_threads(threads)
    net = PolaSR(path)
    x = torch.from_numpy(np.random.default_rng(1).random((1, 3, height, width), np.float32))
    print("ready", flush=True)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16"):
        for _ in sys.stdin:
            start = time.perf_counter()
            net(x)
            print("%.6f" % (time.perf_counter() - start), flush=True)


main()
