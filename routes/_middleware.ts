import { HttpError } from "fresh";
import { define } from "../lib/app.ts";
import { ServiceError } from "../lib/errors.ts";
import { apiError, isForPrograms, logFailure } from "../lib/door/errors.ts";

/** Maps errors: JSON for programs, and for pages the status that _error.tsx shows. */
export default define.middleware(async (ctx) => {
  try {
    return await ctx.next();
  } catch (error) {
    if (isForPrograms(ctx.url.pathname)) return apiError(error, ctx.req);
    if (error instanceof ServiceError) throw new HttpError(error.status, error.message, { cause: error });
    // the error page hides the cause from people
    if (!(error instanceof HttpError)) logFailure(error, ctx.req);
    throw error;
  }
});
