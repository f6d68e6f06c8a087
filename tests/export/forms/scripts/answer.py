"""Answer a question from notes.

Exported by Stepwire 0.1.0 from flow.json (flow 8e150c163e9b).
"""

from stepwire_kit import Flow, rounds
from stepwire_kit.nodes import agent, text_search, write_file

WRITER = """\
You answer a question from field notes, and from nothing else.
Look up its words with text_search before you write.
Cite every claim as [file:line]. When the notes say nothing, say so.
When you are shown a draft of yours and an objection, meet the objection.
Question: {{question}}"""
CRITIC = """\
You are strict. Accept only what the notes say.
Question: {{question}}
Every claim needs a citation such as [may.txt:7], and the day it was seen.
Object in one sentence to what is missing."""
VERDICT = {
    "type": "object",
    "properties": {"accepted": {"type": "boolean"}, "reason": {"type": "string"}},
    "required": ["accepted", "reason"],
    "additionalProperties": False,
}

flow = Flow("Answer a question from notes")


@flow
async def answer(question: str = "Which birds were seen in the morning?") -> dict[str, str]:
    """A writer drafts an answer from the notes; a critic accepts it or sends it back."""
    notes = text_search("text_search", folder="data/notes")
    draft = question
    for _ in rounds("rounds", 4):
        written = await agent("writer", draft, tools=[notes], instructions=WRITER, question=question)
        verdict = await agent(
            "critic", written.reply, instructions=CRITIC, answer_schema=VERDICT, question=question
        )
        if verdict.accepted:
            break
        draft = f"{written.reply}\n\nNot accepted yet: {verdict.reason}"
    await write_file("save", written.reply, path="out/answer.md")
    return {"answer": written.reply}


if __name__ == "__main__":
    flow.main()
