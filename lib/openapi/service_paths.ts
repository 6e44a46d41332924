import {
  AWAY,
  BAD_INPUT,
  bytes,
  created,
  FULL,
  missing,
  ok,
  operationsOf,
  type Paths,
  refusal,
} from "./operation.ts";

const service = operationsOf("Service");
const tested = [ok("What the receiver said.", "Delivery"), refusal(429, "Another test is under way.")];

/** The paths for monitors. */
export const MONITORING_PATHS: Paths = {
  "/healthz": {
    get: service("getHealth", "Whether the service can do its work; needs no login", [
      ok("It can.", "Health"),
      refusal(503, "It cannot, and why.", "Health"),
    ]),
  },
  "/metrics": {
    get: service("getMetrics", "Figures for Prometheus", [bytes("Prometheus' text format.", "text/plain")], {
      description: "With a login or METRICS_TOKEN, it wants the session or the token, as Bearer or Basic.",
    }),
  },
};

/** The paths of the service itself. */
export const SERVICE_PATHS: Paths = {
  "/api/events": {
    get: service("listen", "How all streams are, and then what changes, as server-sent events", [
      bytes("Events.", "text/event-stream"),
      {
        503: {
          what: "Too many listen, or the supervisor does not answer.",
          json: "Error",
          headers: { "retry-after": "Seconds." },
        },
      },
    ], {
      description:
        "`state` comes first: `StateEvent`, all statuses and the list's version. Then `status` (`Status`, " +
        "one stream is otherwise), `thumbnail` (`ThumbnailEvent`) and `list` (`ListEvent`: ask for the list again). " +
        "A client that is slow is told the newest only. The connection ends after an hour; connect again.",
    }),
  },
  "/api/figures": {
    get: service("getFigures", "Who watches each stream, and what it takes", [ok("By id.", "Figures"), AWAY]),
  },
  "/api/system": {
    get: service("getSystem", "How the service and its machine are, and what the streams take", [
      ok("The figures.", "System"),
    ]),
  },
  "/api/config": { get: service("getConfig", "The DEFAULT_… settings", [ok("The settings.", "Defaults")]) },
  "/api/extensions": {
    get: service("listExtensions", "The own browser extensions that streams can choose", [
      ok("Those that are there.", "Extensions"),
    ]),
  },
  "/api/openapi.json": {
    get: service("getOpenApi", "This document", [bytes("OpenAPI 3.1.", "application/json")]),
  },
  "/api/webhook": {
    get: service("getWebhook", "Whether somebody is told when a stream fails", [
      ok("Null: nobody is.", "Webhook"),
    ]),
  },
  "/api/webhook/test": {
    post: service("testWebhook", "Send a message to try the webhook", [
      ...tested,
      refusal(409, "No webhook is set."),
    ]),
  },
};

const noReceiver = missing("receiver");
const theReceiver = ok("The receiver.", "Receiver");

/** The paths of messages: who is told, and of what. */
export const MESSAGE_PATHS: Paths = {
  "/api/receivers": {
    get: service("listReceivers", "Who is told what goes wrong, without secrets", [
      ok("The oldest first.", "Receivers"),
    ]),
    post: service("createReceiver", "Add a receiver of messages", [
      created("The receiver.", "Receiver"),
      BAD_INPUT,
      FULL,
    ], { body: "NewReceiver" }),
  },
  "/api/receivers/{id}": {
    patch: service(
      "changeReceiver",
      "Change a receiver; absent fields, such as secrets, stay",
      [theReceiver, BAD_INPUT, noReceiver],
      { body: "ReceiverChange" },
    ),
    delete: service("deleteReceiver", "Delete a receiver", [
      { 204: { what: "It gets nothing more." } },
      noReceiver,
    ]),
  },
  "/api/receivers/{id}/test": {
    post: service("testReceiver", "Send a message to try a receiver", [...tested, noReceiver]),
  },
  "/api/incidents": {
    get: service("listIncidents", "What went wrong, of all streams and of the machine", [
      ok("The newest first.", "Incidents"),
    ], {
      query: {
        stream: "Those of this stream only.",
        group: "Those of streams of this group only.",
        kind: "failed, signedOut, disk or certificate.",
        open: "1: those that go on.",
      },
    }),
  },
};
