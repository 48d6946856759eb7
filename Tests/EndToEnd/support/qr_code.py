"""Reads the QR code of a page as the camera of a phone would."""

import re

import zxingcpp

# Pixels of a module.
SCALE = 4


def text_of(html):
    """The text in the one drawing of a page."""
    drawings = re.findall(r'<svg class="qr" viewBox="0 0 (\d+) (\d+)".*?<path fill="#000" d="([^"]*)"', html, re.S)
    assert len(drawings) == 1, f"{len(drawings)} QR codes"
    width, height, path = int(drawings[0][0]), int(drawings[0][1]), drawings[0][2]
    assert re.fullmatch(r"(M\d+ \d+h1v1h-1z)+", path) and width == height
    picture = bytearray(b"\xff" * (width * SCALE * height * SCALE))
    for column, row in re.findall(r"M(\d+) (\d+)", path):
        for line in range(int(row) * SCALE, (int(row) + 1) * SCALE):
            start = line * width * SCALE + int(column) * SCALE
            picture[start : start + SCALE] = b"\x00" * SCALE
    found = zxingcpp.read_barcodes(memoryview(picture).cast("B", shape=[height * SCALE, width * SCALE]))
    assert [code.format for code in found] == [zxingcpp.BarcodeFormat.QRCode], found
    return found[0].text
