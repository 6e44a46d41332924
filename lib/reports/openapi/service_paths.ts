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
const tested = [
  ok("The outcome, with the receiver's answer.", "Delivery"),
  refusal(429, "Another test of this receiver is under way."),
];

/** The paths for monitors. */
export const MONITORING_PATHS: Paths = {
  "/healthz": {
    get: service("getHealth", "Whether the service can do its work, without a login", [
      ok("The service can do its work.", "Health"),
      refusal(503, "The service cannot do its work. `reasons` says why.", "Health"),
    ]),
  },
  "/metrics": {
    get: service("getMetrics", "Figures for Prometheus", [bytes("Prometheus' text format.", "text/plain")], {
      description:
        "With a login or METRICS_TOKEN, the request needs a session or that token, as Bearer or Basic.",
    }),
  },
};

/** The paths of the service itself. */
export const SERVICE_PATHS: Paths = {
  "/api/events": {
    get: service("listen", "The state of all streams and then each change, as server-sent events", [
      bytes("The events.", "text/event-stream"),
      {
        503: {
          what: "Too many clients listen, or the supervisor does not answer.",
          json: "Error",
          headers: { "retry-after": "Seconds until a new request makes sense." },
        },
      },
    ], {
      description:
        "The first event is `state` (`StateEvent`): all statuses and the version of the list. Then come `status` " +
        "(`Status`: one stream has changed), `thumbnail` (`ThumbnailEvent`) and `list` (`ListEvent`: read the list " +
        "again). A slow client gets only the newest event of each stream. The connection ends after an hour: " +
        "connect again.",
    }),
  },
  "/api/figures": {
    get: service("getFigures", "The viewers of each stream, and the CPU and memory that it takes", [
      ok("The figures, by id.", "Figures"),
      AWAY,
    ]),
  },
  "/api/system": {
    get: service("getSystem", "The state of the service and its machine, and the figures of all streams", [
      ok("The figures.", "System"),
    ]),
  },
  "/api/config": { get: service("getConfig", "The DEFAULT_… settings", [ok("The settings.", "Defaults")]) },
  "/api/extensions": {
    get: service("listExtensions", "The own browser extensions that streams can choose", [
      ok("The extensions.", "Extensions"),
    ]),
  },
  "/api/openapi.json": {
    get: service("getOpenApi", "This document", [bytes("The document, OpenAPI 3.1.", "application/json")]),
  },
  "/api/webhook": {
    get: service("getWebhook", "The receiver of messages that the WEBHOOK variables set", [
      ok("The receiver; null: there is none.", "Webhook"),
    ]),
  },
  "/api/webhook/test": {
    post: service("testWebhook", "Send a test message to the receiver of the WEBHOOK variables", [
      ...tested,
      refusal(409, "The WEBHOOK variables set no receiver."),
    ]),
  },
};

const noReceiver = missing("receiver");
const theReceiver = ok("The receiver.", "Receiver");

/** The paths of messages: their receivers, and the incidents. */
export const MESSAGE_PATHS: Paths = {
  "/api/receivers": {
    get: service("listReceivers", "The receivers of messages, without their secrets", [
      ok("The receivers, the oldest first.", "Receivers"),
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
      "Change a receiver. Absent fields, such as secrets, stay",
      [theReceiver, BAD_INPUT, noReceiver],
      { body: "ReceiverChange" },
    ),
    delete: service("deleteReceiver", "Delete a receiver", [
      { 204: { what: "The receiver gets no more messages." } },
      noReceiver,
    ]),
  },
  "/api/receivers/{id}/test": {
    post: service("testReceiver", "Send a test message to a receiver", [...tested, noReceiver]),
  },
  "/api/incidents": {
    get: service("listIncidents", "The incidents of all streams and of the machine", [
      ok("The incidents, the newest first.", "Incidents"),
    ], {
      query: {
        stream: "Only incidents of this stream.",
        group: "Only incidents of streams of this group.",
        kind: "Only incidents of this kind: failed, signedOut, disk or certificate.",
        open: "1: only incidents that go on.",
      },
    }),
  },
};
