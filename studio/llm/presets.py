"""What endpoints of each kind usually are called by, as a start for a chat profile."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Preset:
    """A kind of endpoint: its usual base URL, and the variable in which its users keep the key.

    `key_env` is empty where the endpoint usually wants no key.
    """

    kind: str
    title: str
    base_url: str
    key_env: str = ""
    llm: str = ""
    """How its language models are named, as an example."""
    help: str = ""


PRESETS = (
    Preset("openai", "OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY", "gpt-5-mini"),
    Preset(
        "azure",
        "Azure OpenAI",
        "https://RESOURCE.openai.azure.com/openai/v1",
        "AZURE_OPENAI_API_KEY",
        "name of the deployment",
        "Put the name of your resource into the base URL; the model is the name of the "
        "deployment. For a dated version, the base URL ends with `.openai.azure.com`.",
    ),
    Preset("ollama", "Ollama", "http://127.0.0.1:11434/v1", "", "qwen3:8b", "Start it with `ollama serve`."),
    Preset(
        "llamacpp",
        "llama.cpp",
        "http://127.0.0.1:8080/v1",
        "",
        "any name",
        "Start it with `llama-server -m FILE.gguf --jinja`; without `--jinja` it calls no tools.",
    ),
    Preset(
        "vllm", "vLLM", "http://127.0.0.1:8000/v1", "", "Qwen/Qwen3-8B", "Start it with `vllm serve NAME`."
    ),
    Preset("lmstudio", "LM Studio", "http://127.0.0.1:1234/v1", "", "qwen3-8b", "Turn on its local server."),
    Preset(
        "openrouter",
        "OpenRouter",
        "https://openrouter.ai/api/v1",
        "OPENROUTER_API_KEY",
        "openai/gpt-5-mini",
    ),
    Preset("other", "Other", "", "OPENAI_API_KEY", "", "Any endpoint that speaks the OpenAI protocol."),
)
"""In the order in which they are offered; the last stands for whatever the others do not."""

ALL = {preset.kind: preset for preset in PRESETS}


def preset_of(kind: str) -> Preset:
    """Give the preset called `kind`; one that is not known is as any other endpoint."""
    return ALL.get(kind, PRESETS[-1])
