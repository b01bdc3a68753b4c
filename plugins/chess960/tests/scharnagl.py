"""Writes scharnagl.txt: the back rank of each of the 960 numbers, as the package `chess` (PyPI) has them.

    pip install chess==1.11.2
    python scharnagl.py > scharnagl.txt
"""

import chess

for number in range(960):
    board = chess.BaseBoard.from_chess960_pos(number)
    print("".join(board.piece_at(square).symbol() for square in chess.SquareSet(chess.BB_RANK_1)))
