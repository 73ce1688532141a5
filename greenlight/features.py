"""`features`: lists the features installed on first use, or installs them now."""

from argparse import Namespace

from activities.late_packages import FEATURES, InstallFailed, install, is_installed
from greenlight.argument_types import FEATURE_NAMES
from greenlight.bootstrap import notify
from greenlight.errors import CommandError


def features(args: Namespace) -> int:
    """Install the named features; without names, list all of them.

    Raises:
        CommandError: A feature could not be installed.
    """
    for feature in args.names:
        try:
            install(feature, notify)
        except InstallFailed as error:
            raise CommandError.of(
                "cli-feature-failed", feature=feature, reason=str(error)
            ) from None
    for feature in () if args.names else FEATURE_NAMES:
        _, about, megabytes = FEATURES[feature]
        state = "installed" if is_installed(feature) else f"{megabytes} MB, when first used"
        print(f"{feature:<10} {about:<24} {state}")
    return 0
