"""What is said above the ghosts of a node: how many there are, and how far they have come."""

from collections import Counter

from PySide6.QtCore import QCoreApplication

from studio.ui.canvas.scene.ghosts import Cluster

translate = QCoreApplication.translate


def cluster_words(cluster: Cluster) -> str:
    """Count the ghosts by their states: `5 parts · 1 running · 3 done`."""
    ghosts = cluster.laid.ghosts
    dropped = sum(ghost.is_dropped for ghost in ghosts)
    tones = Counter(ghost.tone for ghost in ghosts)
    count = len(ghosts)
    said = [
        translate("canvas", "1 part") if count == 1 else translate("canvas", "{0} parts").format(count),
        *(
            words.format(number)
            for words, number in (
                (translate("canvas", "{0} running"), tones["running"]),
                (translate("canvas", "{0} paused"), tones["held"]),
                (translate("canvas", "{0} done"), tones["done"]),
                (translate("canvas", "{0} failed"), tones["failed"]),
                (translate("canvas", "{0} dropped"), dropped),
            )
            if number
        ),
    ]
    return " · ".join(said)
