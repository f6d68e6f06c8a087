"""All that a file under `nodes/` may import from the studio."""

from studio.errors import BoxMissingError, CalledFlowError, StepError, ToolError
from studio.flow.ports import Port, PortType, Structure, item_port, parse_type
from studio.ids import PortName
from studio.llm.client import ChatAnswer, ChatRequest, Message, ToolCall, ToolSpec, Usage, WindowAccount
from studio.sdk.agent import Agent, Said, Stops, Turn
from studio.sdk.class_signature import Method, classed_code, read_class
from studio.sdk.code_modules import boxed_code
from studio.sdk.code_signature import lendable_code, read_signature
from studio.sdk.context import Context, Folder, Form, State
from studio.sdk.items import Item, Items, Keep, KeptItems, MemoryPlace, Recalled
from studio.sdk.memory import Memory, Note, Query
from studio.sdk.node import (
    NodeType,
    Yields,
    binding,
    dynamic_inputs,
    dynamic_outputs,
    node,
    structural,
    variant,
)
from studio.sdk.part import Part
from studio.sdk.ports import DynamicIn, In, Json, Out, Setting, T, ports_named
from studio.sdk.tool import Copies, Effect, LentFlow, Tool, lendable_name, strongest
from studio.servers.records import (
    ServedTool,
    Server,
    ServerAddress,
    ServerCommand,
    ToolServer,
    command_of,
)
from studio.web.request import Reach, WebAnswer, WebRequest

__all__ = [
    "Agent",
    "BoxMissingError",
    "CalledFlowError",
    "ChatAnswer",
    "ChatRequest",
    "Context",
    "Copies",
    "DynamicIn",
    "Effect",
    "Folder",
    "Form",
    "In",
    "Item",
    "Items",
    "Json",
    "Keep",
    "KeptItems",
    "LentFlow",
    "Memory",
    "MemoryPlace",
    "Message",
    "Method",
    "NodeType",
    "Note",
    "Out",
    "Part",
    "Port",
    "PortName",
    "PortType",
    "Query",
    "Reach",
    "Recalled",
    "Said",
    "ServedTool",
    "Server",
    "ServerAddress",
    "ServerCommand",
    "Setting",
    "State",
    "StepError",
    "Stops",
    "Structure",
    "T",
    "Tool",
    "ToolCall",
    "ToolError",
    "ToolServer",
    "ToolSpec",
    "Turn",
    "Usage",
    "WebAnswer",
    "WebRequest",
    "WindowAccount",
    "Yields",
    "binding",
    "boxed_code",
    "classed_code",
    "command_of",
    "dynamic_inputs",
    "dynamic_outputs",
    "item_port",
    "lendable_code",
    "lendable_name",
    "node",
    "parse_type",
    "ports_named",
    "read_class",
    "read_signature",
    "strongest",
    "structural",
    "variant",
]
