import sys
from types import SimpleNamespace

import pytest
from strands.models.bedrock import BedrockModel
from strands.models.openai import OpenAIModel

from tests.agents.talk import answer, user
from workbench.agents.models import (
    ANTHROPIC_MAX_TOKENS,
    ModelUnavailable,
    _aws_credentials,
    build_model,
    script_problems,
)
from workbench.agents.scripted import ScriptedModel
from workbench.config import PROVIDERS, ImportSpecs, ModelConfig, parse_config

KEYS = (
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_GENAI_USE_VERTEXAI",
    "OLLAMA_HOST",
    "AWS_PROFILE",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)


@pytest.fixture(autouse=True)
def a_machine_without_keys(monkeypatch, tmp_path):
    for key in KEYS:
        monkeypatch.delenv(key, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setattr("workbench.agents.models._on_ec2", lambda: False)


def build(provider, model_id=None, folder="/nowhere", **params):
    return build_model(ModelConfig(provider=provider, model_id=model_id, params=params), ImportSpecs(folder))


def refused(*args, **params):
    with pytest.raises(ModelUnavailable) as caught:
        build(*args, **params)
    return caught.value


# Scripted


def test_a_scripted_model_plays_its_script():
    model = build("scripted", script=[{"text": "hello"}])
    assert isinstance(model, ScriptedModel)
    assert answer(model, [user("hi")])["text"] == "hello"


def test_a_bad_script_names_its_place_inside_the_models_block():
    error = refused("scripted", script=[{"tool": "a"}, {"txt": "b"}])
    assert error.path == "params.script[1].txt"
    assert "script[1].txt" in error.sentence and "did you mean 'text'" in error.sentence


def test_faulty_scripts_are_problems_of_the_config_with_their_lines():
    text = """version: "1"
models:
  good: {provider: scripted}
  main:
    provider: scripted
    params:
      script:
        - {text: hello}
        - {txt: hello}
agents:
  a: {model: good}
  b:
    model: {provider: scripted, params: {stream_chunk: 0}}
entry: a
"""
    problems = parse_config(text, file="shop.yaml", checks=[script_problems]).problems
    assert [(problem.path, problem.line) for problem in problems] == [
        ("models.main.params.script[1].txt", 9),
        ("agents.b.model.params.stream_chunk", 13),
    ]
    assert "did you mean 'text'" in problems[0].message


# Providers


@pytest.mark.parametrize(
    ("provider", "package"),
    [
        ("openai", "openai"),
        ("anthropic", "anthropic"),
        ("gemini", "google.genai"),
        ("ollama", "ollama"),
        ("litellm", "litellm"),
    ],
)
def test_a_missing_package_is_named_with_the_extra_that_brings_it(provider, package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"strands.models.{provider}", raising=False)
    error = refused(provider, "m")
    assert f"pip install 'workbench[{provider}]'" in error.sentence
    assert repr(provider) in error.sentence


def test_a_missing_openai_key_names_its_variable():
    assert "OPENAI_API_KEY" in refused("openai", "gpt").sentence


def test_a_server_of_ones_own_without_a_key_is_told_to_make_one_up():
    error = refused("openai", "gpt", client_args={"base_url": "http://127.0.0.1:9/v1"})
    assert "OPENAI_API_KEY" in error.sentence and "set api_key in params" in error.sentence


@pytest.mark.parametrize(
    "params",
    [
        {"client_args": {"base_url": "http://127.0.0.1:9/v1", "api_key": "none"}},
        {"base_url": "http://127.0.0.1:9/v1", "api_key": "none"},
        {"base_url": "http://127.0.0.1:9/v1", "client_args": {"api_key": "none"}},
    ],
)
def test_client_arguments_may_stand_in_client_args_or_beside_it(params):
    model = build("openai", "gpt", **params)
    assert isinstance(model, OpenAIModel)
    assert model.client_args == {"base_url": "http://127.0.0.1:9/v1", "api_key": "none"}


def test_settings_go_to_the_class_and_the_rest_with_each_request(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    model = build(
        "openai", "gpt", temperature=0.2, params={"max_tokens": 9}, stream=False, context_window_limit=1000
    )
    assert model.config == {
        "model_id": "gpt",
        "params": {"max_tokens": 9, "temperature": 0.2},
        "stream": False,
        "context_window_limit": 1000,
    }


def test_a_model_without_the_id_it_needs_is_refused(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert "needs a model_id" in refused("openai").sentence


def test_a_nested_block_that_is_no_mapping_is_refused(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    error = refused("openai", "gpt", client_args="http://here", base_url="x")
    assert (error.path, "must be a mapping" in error.sentence) == ("params.client_args", True)


def test_missing_aws_credentials_are_named_without_asking_the_network(monkeypatch):
    def no_network(*args, **kwargs):
        raise AssertionError("the network was asked")

    monkeypatch.setattr("botocore.httpsession.URLLib3Session.send", no_network)
    error = refused("bedrock", "anthropic.claude")
    assert "AWS_ACCESS_KEY_ID" in error.sentence and "AWS_PROFILE" in error.sentence


@pytest.mark.parametrize(
    ("variable", "params"),
    [("AWS_BEARER_TOKEN_BEDROCK", {}), ("AWS_ACCESS_KEY_ID", {}), (None, {"api_key": "k"})],
)
def test_bedrock_is_built_once_there_are_credentials(variable, params, monkeypatch):
    if variable:
        monkeypatch.setenv(variable, "k")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s")
    model = build("bedrock", "anthropic.claude", region_name="eu-west-1", temperature=0.1, **params)
    assert isinstance(model, BedrockModel)
    assert (model.config["model_id"], model.config["temperature"]) == ("anthropic.claude", 0.1)


def test_a_profile_that_promises_credentials_is_enough_for_bedrock(monkeypatch, tmp_path):
    (tmp_path / "config").write_text("[default]\nsso_start_url = https://here\nregion = eu-west-1\n")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    assert isinstance(build("bedrock", "anthropic.claude", api_key="k"), BedrockModel)
    assert _aws_credentials()


def test_an_aws_profile_that_does_not_exist_is_told(monkeypatch):
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    assert "ProfileNotFound" in refused("bedrock", "anthropic.claude").sentence


def test_prompt_caching_is_set_with_a_mapping(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert build("openai", "gpt", cache_config={"cache_key": "c"}).config["cache_config"].cache_key == "c"
    assert "cache_config of 'openai'" in refused("openai", "gpt", cache_config={"ky": "c"}).sentence


def test_an_unknown_setting_of_bedrock_is_refused_with_the_nearest(monkeypatch):
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "k")
    error = refused("bedrock", "anthropic.claude", temprature=1)
    assert (error.path, "did you mean 'temperature'" in error.sentence) == ("params.temprature", True)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_provider_a_config_may_name_is_known_here(provider):
    try:
        build(provider, "m")
    except ModelUnavailable as error:
        assert "there is no provider" not in error.sentence


def test_an_unknown_provider_is_refused_with_the_nearest():
    assert "did you mean 'openai'" in refused("opanai", "gpt").sentence
    assert "use scripted, bedrock" in refused("zzz").sentence


def test_what_the_provider_itself_refuses_is_told(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    error = refused("openai", "gpt", client="not a client", client_args={"api_key": "k"})
    assert "can't be built: ValueError" in error.sentence


def test_anthropic():
    pytest.importorskip("anthropic")
    assert "ANTHROPIC_API_KEY" in refused("anthropic", "claude").sentence
    model = build("anthropic", "claude", api_key="k", temperature=0.5)
    assert model.config == {
        "model_id": "claude",
        "max_tokens": ANTHROPIC_MAX_TOKENS,
        "params": {"temperature": 0.5},
    }
    assert build("anthropic", "claude", api_key="k", max_tokens=7).config["max_tokens"] == 7


def test_gemini():
    pytest.importorskip("google.genai")
    assert "GEMINI_API_KEY" in refused("gemini", "flash").sentence
    model = build("gemini", "flash", api_key="k", temperature=0.5)
    assert (model.config, model.client_args) == (
        {"model_id": "flash", "params": {"temperature": 0.5}},
        {"api_key": "k"},
    )


def test_ollama(monkeypatch):
    pytest.importorskip("ollama")
    model = build("ollama", "llama", host="http://here:1", temperature=0.5, top_k=3)
    assert model.host == "http://here:1"
    assert model.config == {"model_id": "llama", "temperature": 0.5, "options": {"top_k": 3}}
    monkeypatch.setenv("OLLAMA_HOST", "http://there:2")
    assert build("ollama", "llama").host == "http://there:2"


def test_litellm():
    pytest.importorskip("litellm")
    assert "OPENAI_API_KEY" in refused("litellm", "openai/gpt-4o").sentence
    model = build("litellm", "openai/gpt-4o", api_key="k", api_base="http://here", temperature=0.5)
    assert (model.config["params"], model.client_args) == (
        {"temperature": 0.5},
        {"api_key": "k", "api_base": "http://here"},
    )


# Models of one's own


@pytest.fixture
def own(tmp_path):
    (tmp_path / "models.py").write_text(
        """
from workbench.agents.scripted import ScriptedModel

class Loud(ScriptedModel):
    def __init__(self, model_id=None, **params):
        super().__init__(params, model_id=model_id)

class Whole(ScriptedModel):
    pass

def factory(text):
    return ScriptedModel({"final_text": text})

def broken():
    raise RuntimeError("no licence")

def nothing():
    return None

NUMBER = 5
"""
    )
    return tmp_path


def test_a_class_of_ones_own_is_called_with_model_id_and_params(own):
    model = build("./models.py:Loud", "x1", own, final_text="hey")
    assert answer(model, [user("hi")])["text"] == "hey"
    assert model.get_config()["model_id"] == "x1"


def test_a_class_that_takes_params_as_one_mapping_gets_them_so(own):
    assert answer(build("./models.py:Whole", "x1", own, final_text="hey"), [user("hi")])["text"] == "hey"


def test_a_factory_makes_a_model(own):
    assert answer(build("./models.py:factory", None, own, text="made"), [user("hi")])["text"] == "made"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("broken", "can't be built: RuntimeError: no licence"),
        ("nothing", "made a NoneType, not a strands Model"),
        ("NUMBER", "is a int, not a class or a function"),
        ("factory", "can't be built: TypeError"),
        ("Missing", "Missing"),
    ],
)
def test_a_class_of_ones_own_that_fails_says_why(own, name, problem):
    assert problem in refused(f"./models.py:{name}", None, own).sentence


def test_a_model_config_is_only_read():
    config = SimpleNamespace(provider="scripted", model_id=None, params={"final_text": "x"})
    build_model(config, ImportSpecs("/nowhere"))
    assert config.params == {"final_text": "x"}
