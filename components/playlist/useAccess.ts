import { useEffect, useState } from "preact/hooks";
import { api, type NewAccessToken, problemOf } from "../client/api.ts";
import type { AccessToken } from "../../lib/model/answers/shapes.ts";

/** The list of the access tokens. */
export function useAccess() {
  /** null until the list has come. */
  const [tokens, setTokens] = useState<AccessToken[] | null>(null);
  const [problem, setProblem] = useState("");

  async function load() {
    try {
      setTokens(await api.accessTokens());
      setProblem("");
    } catch (error) {
      setProblem(problemOf(error));
    }
  }

  useEffect(() => void load(), []);

  return {
    tokens,
    /** Why the list is missing or old; "": there is no problem. */
    problem,
    load,
    /** @throws {ApiError} with the problems of its fields. */
    create: async (body: unknown): Promise<NewAccessToken> => {
      const created = await api.createAccessToken(body);
      await load();
      return created;
    },
    /** @throws {ApiError} */
    revoke: async ({ id }: AccessToken): Promise<void> => {
      await api.revokeAccessToken(id);
      setTokens((all) => all && all.filter((one) => one.id !== id));
    },
  };
}
