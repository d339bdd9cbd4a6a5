from oldest_versions import oldest_versions

TEXT = """
[project]
dependencies = ["numpy>=1.26", "torch>=2.6,<2.14"]
[project.optional-dependencies]
test = ["uvloop>=0.19; sys_platform != 'win32'", "pytest"]
docs = ["mkdocs>=1.6"]
"""


def test_each_lower_bound_becomes_a_constraint():
    assert oldest_versions(TEXT) == ["numpy==1.26", "torch==2.6", "uvloop==0.19"]
