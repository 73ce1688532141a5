import pytest

from tests.deploy.helm import Helm


@pytest.fixture(scope="session")
def helm(tmp_path_factory: pytest.TempPathFactory) -> Helm:
    return Helm.unpack(tmp_path_factory.mktemp("helm"))
