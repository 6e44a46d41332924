/** Which pages are logins instead of the wanted page, and which have a login beside what they show, in a real Chromium. */
import { strict as assert } from "node:assert";
import type { Browser, Page } from "playwright-core";
import { formExpression } from "../../lib/signin/form.ts";
import { isLoginPage } from "../../lib/signin/page.ts";
import { launchShell } from "../support/browser.ts";
import { devtoolsOf } from "../support/devtools_of.ts";
import { hasAllTests, inSoak } from "../support/soak.ts";

let browser: Browser;
Deno.test.beforeAll(async () => {
  browser = await launchShell();
});
Deno.test.afterAll(() => browser.close());

const OWN = "https://wall.test/board";
const SSO = "https://sso.test/step";

/** A page's document, and its address where that counts. */
type Row = readonly [document: string, address?: string];

const page = (
  title: string,
  body: string,
  address = OWN,
): Row => [`<!doctype html><meta charset="utf-8"><title>${title}</title><body>${body}`, address];

const PASSWORD = `<input name="user" placeholder="User"><input type="password" name="pass">`;
const BOXES = `<input type="tel" maxlength="1">`.repeat(6);
const LEGAL = `<p>${"The terms of this service are as follows. ".repeat(120)}</p>`;
const LINES = `<p>${"Line 4 runs at its usual speed. ".repeat(40)}</p>`;
const firstStep = (heading: string, label: string, button: string): Row =>
  page(
    "Portal",
    `<h1>${heading}</h1><form><label>${label} <input type="text"></label><button>${button}</button></form>`,
  );
const codes = (field: string): Row =>
  page("Portal", `<h1>Two-step verification</h1><p>Enter the code</p>${field}<button>OK</button>`);
const large = (tag: string, more = "") =>
  `<${tag} width="1100" height="600" style="background: #888" ${more}></${tag}>`;
const IMAGE = `<img width="1100" height="600" src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=">`;
const BOX = `<div>${PASSWORD}<button>Login</button></div>`;

const LOGINS: Record<string, Row> = {
  "a form": page("Portal", `<form>${PASSWORD}<button>Go</button></form>`),
  "a button by another site": page("Portal", `<h1>Portal</h1><button>Sign in with Microsoft</button>`),
  "two links by other sites": page(
    "Portal",
    `<h1>Portal</h1><a href="/a">Continue with Google</a> <a href="/b">Continue with GitHub</a> <a href="/c">Privacy</a>`,
  ),
  "a German button by another site": page("Portal", `<a href="/sso">Mit Microsoft anmelden</a>`),
  "a session that has expired": page("Portal", `<p>Session expired</p><button>Log in again</button>`),
  "a German session that has expired": page(
    "Portal",
    `<p>Ihre Sitzung ist abgelaufen.</p><a href="/">Erneut anmelden</a>`,
  ),
  "signed out": page("Portal", `<p>You have been logged out.</p><a href="/">Log in</a>`),
  "a welcome with its button": page("Portal", `<h1>Welcome to the portal</h1><button>Sign in</button>`),
  "a sentence with its button": page("Portal", `<p>Please sign in to go on.</p><button>Sign in</button>`),
  "a title with its button": page("Sign in - Portal", `<p>Portal</p><button>Sign in</button>`),
  "a session whose end is its heading": page(
    "Portal",
    `<h1>Your session has expired</h1><button>Reload</button>`,
  ),
  "a page that has expired": page(
    "Sign in",
    `<h1>Page has expired</h1><p>To go on <a href="/">click here</a></p>`,
  ),
  "a link by another site, at a login's address": page(
    "Grafana",
    `<h1>Welcome to Grafana</h1><a href="login/azuread">Sign in with Microsoft</a>`,
    "https://wall.test/login",
  ),
  "a dialog over a page": page(
    "Board",
    `${LINES}<div role="dialog"><p>Your session has expired</p><button>Log in again</button></div>`,
  ),
  "a code of type number": codes(`<input type="number" name="code">`),
  "a code of type tel": codes(`<input type="tel">`),
  "a code in six fields": codes(BOXES),
  "a code that is typed as a password": page(
    "Portal",
    `<h1>Portal</h1><input type="password" autocomplete="one-time-code">`,
  ),
  "a code that was sent": page(
    "Portal",
    `<p>We sent you a code by mail.</p><input name="code"><button>OK</button>`,
  ),
  "a code in six fields that say nothing": page(
    "Sign in",
    `<h1>Check your phone</h1>${BOXES}<button>OK</button>`,
  ),
  "a code in six numbers": codes(`<input type="number" min="0" max="9">`.repeat(6)),
  "a code beside a search": page("Portal", `<input name="search">${codes(`<input name="otp">`)[0]}`),
  "a German code": page(
    "Portal",
    `<h1>Bestätigungscode eingeben</h1><input type="tel"><button>Weiter</button>`,
  ),
  "a first step": firstStep("Sign in", "Email", "Next"),
  "a first step below a logo": page(
    "Portal",
    `<h1>Portal</h1><h2>Sign in</h2><input type="email" aria-label="Email"><button>Next</button>`,
  ),
  "a first step in German": firstStep("Anmelden", "Benutzername", "Weiter"),
  "a first step in French": firstStep("Connexion", "Nom d'utilisateur", "Suivant"),
  "another in French": firstStep("Connectez-vous", "Identifiant", "Continuer"),
  "a first step in Spanish": firstStep("Iniciar sesión", "Usuario", "Siguiente"),
  "another in Spanish": firstStep("Inicio de sesión", "Correo electrónico", "Continuar"),
  "a first step in Italian": firstStep("Accedi", "Nome utente", "Avanti"),
  "a first step in Portuguese": firstStep("Iniciar sessão", "Utilizador", "Seguinte"),
  "a third in Portuguese": firstStep("Acesse sua conta", "Usuário", "Continuar"),
  "one that only its button names": firstStep("Bienvenido", "Usuario", "Ingresar"),
  "another in French by its button": firstStep("Bienvenue", "Adresse e-mail", "Se connecter"),
  "another in Japanese": firstStep("サインイン", "ログインID", "次へ"),
  "another in Portuguese": firstStep("Entrar", "Usuário", "Avançar"),
  "a first step in Dutch": firstStep("Inloggen", "Gebruikersnaam", "Volgende"),
  "a first step in Polish": firstStep("Zaloguj się", "Nazwa użytkownika", "Dalej"),
  "a first step in Russian": firstStep("Вход", "Имя пользователя", "Далее"),
  "another in Russian": firstStep("Войти в систему", "Логин", "Далее"),
  "a first step in Japanese": firstStep("ログイン", "ユーザー名", "次へ"),
  "a first step in Chinese": firstStep("登录", "用户名", "下一步"),
  "much legal text below a form": page(
    "Portal",
    `<h1>Sign in</h1><form>${PASSWORD}<button>Go</button></form>${LEGAL}`,
  ),
  "much legal text below a form that its title names": page(
    "Login | Portal",
    `<form>${PASSWORD}</form>${LEGAL}`,
  ),
  "a large picture beside a form that its title names": page("Log in", `${IMAGE}${BOX}`),
  "a large picture beside a form that the page's heading names": page(
    "Portal",
    `${IMAGE}<h1>Sign in</h1><form>${PASSWORD}<button>Go</button></form>`,
  ),
  "a film behind a form that the page's heading names": page(
    "Portal",
    `${large("video")}<h1>Welcome back, please log in</h1><form>${PASSWORD}<button>Go</button></form>`,
  ),
  "to sign in or up, without forms": page(
    "Portal",
    `<div>${PASSWORD}<button>Sign in</button></div><div>${PASSWORD}<button>Create account</button></div>`,
  ),
  "to sign up or in, without forms": page(
    "Portal",
    `<div><input name="name">${PASSWORD}<input type="password"><button>Sign up</button></div><div>${PASSWORD}<button>Sign in</button></div>`,
  ),
  "to sign up or in, in forms": page(
    "Portal",
    `<form>${PASSWORD}<input type="password"><button>Sign up</button></form><form>${PASSWORD}<button>Sign in</button></form>`,
  ),
  "which account, at another site": page("Accounts", `<h1>Pick an account</h1><button>ops</button>`, SSO),
  "which account, where its title says so": page("Sign in", `<h1>Pick an account</h1><button>ops</button>`),
  "whether to stay signed in, at another site": page(
    "Accounts",
    `<h1>Stay signed in?</h1><button>No</button><button>Yes</button>`,
    SSO,
  ),
  "a new password": page(
    "Portal",
    `<h1>Change your password</h1><form>${PASSWORD}<input type="password"></form>`,
  ),
};

const PAGES: Record<string, Row> = {
  "a dashboard with a link in its header": page(
    "Board",
    `<header><a href="/login">Sign in</a></header><h1>Sales</h1><p>Orders</p><p>1,234</p>`,
  ),
  "a dashboard with little text and a link in its header": page(
    "Board",
    `<header>Plant <a href="/login">Sign in</a></header><main><h1>All systems are well</h1></main>`,
  ),
  "a dashboard with a button by another site in its header": page(
    "Board",
    `<nav>Plant <button>Sign in with Google</button></nav><main><h1>All systems are well</h1></main>`,
  ),
  "a dashboard with a button above it": page(
    "Board",
    `<div><button>Sign in</button></div><h1>Room Berlin</h1><p>Free</p>`,
  ),
  "a dashboard with figures and a button by another site": page(
    "Board",
    `<div><button>Sign in with Google</button></div><h1>Orders</h1><div>1,234</div>`,
  ),
  "a dashboard of logins": page(
    "Security",
    `<h1>Failed logins</h1><p>None today</p><a href="/all">Login history</a>`,
  ),
  "a German dashboard of logins": page(
    "Sicherheit",
    `<h1>Anmeldungen heute</h1><p>Keine</p><a href="/all">Anmeldungen</a>`,
  ),
  "a lobby's screen": page(
    "Acme",
    `<h1>Welcome to Acme</h1><p>Please report to the desk.</p><a href="/admin">Login</a>`,
  ),
  "a station that scans": page(
    "Line 4",
    `<h1>Line 4</h1><p>Scan or enter the code</p><input name="code"><button>OK</button>`,
  ),
  "a dashboard with a link among its text": page(
    "Plant",
    `<div>Plant 4 <a href="/login">Login</a></div><p>Temperature: 21 °C, all lines run.</p>`,
  ),
  "a status page": page(
    "Status",
    `<h1>All systems operational</h1><button>Subscribe</button> <a href="/login">Log in</a>`,
  ),
  "a dashboard of a canvas with a button": page("Welcome", `<button>Sign in</button>${large("canvas")}`),
  "a dashboard with a field and a button in its header": page(
    "Board",
    `<header><input placeholder="User or host"><button>Sign in</button></header>${LINES}`,
  ),
  "a dashboard with a filter": page(
    "Board",
    `<div><input placeholder="Filter by user"><button>Sign in</button></div><h1>Hosts</h1>${LINES}`,
  ),
  "a table with a login box above it": page(
    "Board",
    `${BOX}<table>${"<tr><td>Line</td><td>Runs</td></tr>".repeat(9)}</table>`,
  ),
  "a login box in a bar": page("Board", `<nav>${PASSWORD}<button>Login</button></nav>${LINES}`),
  "an article with a newsletter": page(
    "How we build",
    `<article><h1>How we build</h1>${LINES}<h2>Log in to comment</h2><a href="/login">Log in</a>
     <h2>Our newsletter</h2><form><input type="email" name="mail" placeholder="Your email"><button>Subscribe</button></form></article>`,
  ),
  "a German newsletter": page(
    "Neues",
    `<h1>Neues</h1>${LINES}<form><label>Newsletter: E-Mail <input type="email"></label><button>Anmelden</button></form>`,
  ),
  "a German newsletter without that word": page(
    "Neues",
    `<h1>Neues</h1>${LINES}<h2>Immer informiert</h2><form><input type="email" name="email"><button>Anmelden</button></form>`,
  ),
  "a shop's search": page(
    "Shop",
    `<header><a href="/login">Log in</a><form role="search"><input name="q" placeholder="Search by name"><button>Go</button></form></header><h1>Shoes</h1>${LINES}`,
  ),
  "a shop's search without a role": page(
    "Shop",
    `<form action="/search"><input name="name"><button>Go</button></form><button>Sign in</button><h1>Shoes</h1>${LINES}`,
  ),
  "a Spanish wiki": page(
    "Usuario - Wiki",
    `<div><a href="/entrar">Acceder</a> <button>Iniciar sesión</button></div><form><input name="search" placeholder="Buscar en Wiki"></form>
     <h1>Usuario</h1><p>${
      "Un usuario es quien usa un sistema; para iniciar sesión da su nombre. ".repeat(20)
    }</p>`,
  ),
  "an article about logins": page(
    "How to log in to your router",
    `<h1>How to log in to your router</h1>${LEGAL}<div>${PASSWORD}<button>Go</button></div>`,
  ),
  "a forum": page("Forum", `<form>${PASSWORD}<button>Log in</button></form>${LEGAL}`),
  "an image with a login box": page("Harbour", `${IMAGE}${BOX}`),
  "a canvas with a login box": page("Harbour", `<h2>Login</h2>${large("canvas")}${BOX}`),
  "a video with a login box": page("Harbour", `${large("video")}${BOX}`),
  "its own list of accounts": page(
    "Bank",
    `<h1>Choose an account</h1><button>Savings</button><button>Giro</button>`,
  ),
  "its own form for new people": page(
    "Club",
    `<h1>Join the club</h1><form>${PASSWORD}<input type="password"><button>Sign up</button></form>`,
  ),
  "a log with sessions that expired": page(
    "Log",
    `<pre>${"12:45 ops: session expired, log in again\n".repeat(5)}</pre><button>Log in again</button>`,
  ),
  "figures in numbers": page(
    "Status codes",
    `<h1>Status codes</h1><p>Code 200: sent 5 MB</p><input type="number" name="limit">`,
  ),
  "a clock": page("Clock", `<h1>12:45</h1>`),
};

/** Opens a document at its address, without a network. */
async function open(tab: Page, [document, address = OWN]: Row): Promise<void> {
  await tab.unrouteAll();
  await tab.route(
    "**/*",
    (route) =>
      route.request().isNavigationRequest()
        ? route.fulfill({ contentType: "text/html", body: document })
        : route.abort(),
  );
  await tab.goto(address);
}

/** Of the rows, each third in every run, and all in tests/soak. @returns those whose page is taken for what it is not. */
async function namesOf(rows: Record<string, Row>, isLogin: boolean): Promise<string[]> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
  try {
    const tab = await context.newPage();
    const devtools = await devtoolsOf(tab);
    await devtools.send("Page.enable");
    const names: string[] = [];
    const chosen = Object.entries(rows).filter((_, at) => hasAllTests() || at % 3 === 0);
    for (const [name, row] of chosen) {
      await open(tab, row);
      const { frameTree } = await devtools.send<{ frameTree: { frame: { id: string } } }>(
        "Page.getFrameTree",
      );
      const question = { page: devtools, frameId: frameTree.frame.id, url: OWN, hasHelper: false };
      const control = { open: () => Promise.reject(new Error("there is no frame")) };
      if (await isLoginPage({ ...question, browser: control }) === isLogin) names.push(name);
    }
    return names;
  } finally {
    await context.close();
  }
}

Deno.test("logins are found: by a form, a button, a code or a question, in several languages", async () => {
  assert.deepEqual(await namesOf(LOGINS, false), [], "not found");
});

inSoak(Deno.test)("pages with a login beside what they show are no logins", async () => {
  assert.deepEqual(await namesOf(PAGES, true), [], "taken for logins");
});

Deno.test("who signs in where one may also sign up fills in the right fields", async () => {
  const tab = await browser.newPage();
  for (
    const name of [
      "to sign in or up, without forms",
      "to sign up or in, without forms",
      "to sign up or in, in forms",
    ]
  ) {
    await open(tab, LOGINS[name]);
    await tab.evaluate(formExpression("fill", "ops", "s3cret"));
    const values = await tab.evaluate(
      `[...document.querySelectorAll("input")].map((one) => one.value).join()`,
    );
    assert.match(String(values), name.includes("in or up") ? /^ops,s3cret,,$/ : /^,+ops,s3cret$/, name);
  }
  await tab.close();
});
