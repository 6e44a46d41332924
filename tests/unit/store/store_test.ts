import { join } from "node:path";
import { FileStreamStore } from "../../../lib/store/file_streams.ts";
import { tempDir } from "../../support/fixture.ts";
import { testStore } from "../../support/store_contract.ts";

testStore("list in a file", async () => {
  const dir = await tempDir();
  const again = () => FileStreamStore.open(join(dir.path, "streams.json"));
  return { store: await again(), again, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
});
