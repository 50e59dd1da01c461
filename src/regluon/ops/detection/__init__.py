"""Boxes, anchors, proposals and regions of interest."""

from . import boxes, multibox, proposal, roi
