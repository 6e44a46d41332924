/** Leaves tests out by what their names begin with or have in them: `deno test --preload=…`, with LEFT_OUT, a list in JSON. */
const names: string[] = JSON.parse(Deno.env.get("LEFT_OUT") ?? "[]");
const { test } = Deno;
const isLeftOut = (name: string) => names.some((one) => name.includes(one));

Object.assign(Deno, {
  test: (name: string, fn: (context: Deno.TestContext) => void | Promise<void>) =>
    test({ name, fn, ignore: isLeftOut(name) }),
});
