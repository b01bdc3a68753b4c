"""Builds the conda package and runs its tests, without a channel. Prints the path of the package.

Needs Python 3.9 or later with py-rattler-build, and the archive of a release in `dist`.
"""

import sys
from pathlib import Path

from rattler_build import Package, Stage0Recipe, VariantConfig

recipe = Stage0Recipe.from_file(Path(__file__).with_name("recipe.yaml"))
out = Path(sys.argv[1] if len(sys.argv) > 1 else "dist/conda").resolve()
for variant in recipe.render(VariantConfig()):
    variant.run_build(output_dir=out, channels=[])
for path in sorted(out.glob("*/runner-*.conda")):
    for test in Package.from_file(path).run_tests(channel=[out.as_uri()]):
        if not test.success:
            sys.exit("\n".join(test.output))
    print(path)
