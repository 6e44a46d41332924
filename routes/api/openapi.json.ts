import { define } from "../../lib/app.ts";
import { textFile } from "../../lib/door/text_file.ts";
import { instanceName } from "../../lib/paths.ts";

/** The texts by cookie name, which is the only difference between services. */
const texts = new Map<string, string>();

export const handler = define.handlers({
  /** The description of this API for programs. It is made of code, so it is made once; most services are never asked. */
  GET: async (ctx) => {
    const cookieName = instanceName(ctx.state.service.config);
    const { openApiDocument } = await import("../../lib/reports/openapi/document.ts");
    const text = texts.get(cookieName) ?? JSON.stringify(openApiDocument(cookieName));
    texts.set(cookieName, text);
    return textFile(text, "application/json; charset=utf-8");
  },
});
