// Plays a list of steps with the real AG-UI client, which verifies every stream, and prints what it got.
import { readFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { HttpAgent } from "@ag-ui/client";

const { url, steps, tools } = JSON.parse(readFileSync(0, "utf8"));
const agent = new HttpAgent({ url, threadId: randomUUID() });
const told = [];

for (const step of steps) {
  const events = [];
  const errors = [];
  if (step.say !== undefined) {
    agent.addMessage({ id: randomUUID(), role: "user", content: step.say });
  }
  const before = told.at(-1);
  if (step.tool !== undefined) {
    const [toolCallId] = before.outcome.pendingToolCallIds;
    agent.addMessage({ id: randomUUID(), role: "tool", toolCallId, content: step.tool });
  }
  const resume = step.resume?.map((payload, i) => {
    const interruptId = before.outcome.interrupts[i].id;
    return payload === null
      ? { interruptId, status: "cancelled" }
      : { interruptId, status: "resolved", payload };
  });
  try {
    await agent.runAgent(
      { runId: randomUUID(), tools, context: [], forwardedProps: step.props ?? {}, ...(resume ? { resume } : {}) },
      { onEvent: ({ event }) => void events.push(event), onRunFailed: ({ error }) => void errors.push(String(error)) },
    );
  } catch (error) {
    errors.push(String(error));
  }
  const last = events.at(-1);
  told.push({
    kinds: events.map((event) => event.type),
    outcome: last?.outcome ?? null,
    code: last?.code ?? null,
    errors,
    state: Object.keys(agent.state?.kaboo_sessions ?? {}),
    said: agent.messages.filter((message) => message.role === "assistant").map((message) => message.content ?? ""),
    results: agent.messages.filter((message) => message.role === "tool").map((message) => message.content),
  });
}
console.log(JSON.stringify(told));
