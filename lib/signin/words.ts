/** The words by which pages say that they are for signing in, in the languages of most pages. Pure. */

const { raw } = String;

/** Any of some patterns. */
const any = (...patterns: string[]) => new RegExp(patterns.join("|"), "i");

export const LOGIN_WORDS = {
  /** Of a login: its heading, a part of its title, its button. */
  login: any(
    raw`(?<![a-z])login(?!s(?![a-z])|[\s_-]?(?:histor|attempt|detail|statisti|failure|count|rate|event|activit|time|versuch))`,
    raw`(?<![a-z])log[\s_-]in(?:to)?(?![a-z])|(?<![a-z])logon(?![a-z])|(?<![a-z])log on to`,
    raw`(?<![a-z])sign[\s_-]?[io]n(?![a-z])|(?<![a-z])sso(?![a-z])`,
    raw`(?<![a-z])auth(?:enticat(?:e|ion)|orize)?(?![a-z])`,
    raw`anmeld(?!efrist|ungen|ung (?:zu|für|bis))|melden sie sich|melde dich|einlogg`,
    raw`(?<![a-z])connexion(?!s)|(?<![a-z])connectez-vous|(?<![a-z])(?:se|me) connecter`,
    raw`(?<![a-z])identifi(?:er|ez|ant)(?![a-z])|^\s*identification\s*$`,
    raw`inici(?:ar?|e|o de) sesi[oó]n|(?<![a-z])acceder(?![a-z])|^\s*acced[ae]\b|^\s*acceso\s*$`,
    raw`acceso (?:a |de )?(?:client|usuari)|identif[ií](?:que|ca)(?:se|te)|^\s*ingresa[re]?(?![a-z])`,
    raw`(?<![a-z])accedi(?![a-z])|^\s*accesso\s*$|accesso (?:client|utent|area)|(?:effettua|esegui) l.accesso`,
    raw`(?:iniciar|inicie|inicia) (?:a )?sess[aã]o|^\s*entrar(?![a-z])|^\s*acess(?:ar|e|o)\s*$|acess(?:ar|e) (?:a |à )?(?:sua |minha )?conta`,
    raw`inlogg|(?<![a-z])aanmeld|meld (?:je|u) aan`,
    raw`zaloguj|logowani`,
    raw`p[řr]ihl[áa][sš]|logga in|log(?:g)? ind(?![a-z])|logg inn(?![a-z])|kirjaudu|bejelentkez`,
    raw`oturum a[çc]|giri[şs] yap|autentific`,
    raw`войти|вход в|^\s*вход\s*$|авториз|увійти`,
    raw`ログイン|サインイン|登录|登入|登錄|로그인|تسجيل الدخول|đăng nhập`,
  ),
  /** Of an article about logins. */
  howTo: any(
    raw`^\s*(?:how|why|what|when|where|wie|warum|wo|comment|pourquoi|c[óo]mo|por qu[eé]|come|perch[ée]|hoe|waarom|jak|как)(?![a-z])`,
  ),
  /** The path, the fragment or the query of a login's address. */
  loginAddress: any(
    raw`(?:^|[/_.#-])(?:log[_-]?in|sign[_-]?in|logon|signon|sso|auth|authenticate|authorize|oauth2?|saml2?|cas|adfs|anmelden|anmeldung|connexion|inloggen|zaloguj)(?:$|[/_.?#-])`,
    raw`[?&](?:page|action|do|view|mode|route|r|p)=[^&]*log[_-]?in`,
  ),
  /** The name of a host that does nothing but sign people in. */
  loginHost: any(
    raw`(?:^|[.-])(?:login|logon|signin|sso|auth|oauth|idp|id|ids|identity|accounts?|adfs|cas|sts|keycloak|okta|authelia|authentik)[.-]|microsoftonline|\.okta|\.auth0`,
  ),
  /** The label of a field for a user name. */
  user: any(
    raw`user|login|mail|account|identif|benutzer|kennung|utili[sz]a|usu[aá]rio|utente|gebruiker`,
    raw`correo|courriel|e-post|u[żz]ytkownik|u[žz]ivatel|anv[äa]ndar|bruker|bruger|k[äa]ytt[äa]j|felhaszn|kullan[ıi]c`,
    raw`пользовател|логин|почт|ユーザ|メール|アカウント|ログイン|会員|用户|用戶|帐号|账号|帳號|邮箱|사용자|아이디|이메일`,
  ),
  /** The label of a field for something else, or of its form. */
  other: any(
    raw`(?<![a-z])search|(?<![a-z])such(?:e|en|begriff)(?![a-z])|recherche|(?<![a-z])buscar?(?![a-z])|(?<![a-z])cerca(?![a-z])`,
    raw`(?<![a-z])(?:pesquis|zoek|szuk|hled|s[öo]k(?![a-z]))|поиск|искать|検索|搜索|검색`,
    raw`newsletter|subscribe(?!r)|abonnez|abonner|abonnier|suscr[ií]b|iscriviti|inscreva|inschrij|подпис|mailing.?list|coupon|gutschein`,
  ),
  /** Of a new account. */
  signUp: any(
    raw`sign[\s_-]?up|(?<![a-z])regist(?:er|r)|create (?:an |your |my )?account|(?<![a-z])join(?![a-z])|konto (?:erstellen|anlegen)`,
    raw`inscri|cr[ée]er (?:un |mon )?compte|crear (?:una |mi )?cuenta|criar (?:uma |minha )?conta|crea (?:un )?account|iscri`,
    raw`cadastr|zarejestr|rejestracj|зарегистр|регистрац|登録|注册|註冊|가입`,
  ),
  /** The label of a field for a code, or a heading above it. */
  code: any(
    raw`one-time-code|(?<![a-z])t?otp|2fa|(?<![a-z])mfa|two.?factor|one.?time|authenticator`,
    raw`(?:verification|security|access|confirmation|auth\w*).?code|(?:best[äa]tigungs|sicherheits|verifizierungs|einmal).?code`,
    raw`zwei.?faktor|einmal.?(?:kenn|pass)wort|code de (?:v[ée]rification|s[ée]curit[ée]|confirmation)`,
    raw`c[óo]digo de (?:verifica|seguri|seguran|confirma)|codice di (?:verifica|sicurezza|conferma)|verificatiecode|beveiligingscode`,
    raw`kod (?:weryfik|jednoraz)|код подтвержд|одноразов|двухфактор|認証コード|確認コード|验证码|驗證碼|인증 ?(?:코드|번호)`,
  ),
  /** A heading above a code that only people know. */
  codeAbout: any(
    raw`two.?step|2.?step|zwei.?schritt|bestätigung in zwei|deux [ée]tapes|dos pasos|duas etapas|due passaggi|twee stappen`,
    raw`dwuetap|двухэтап|2.?段階|二段階|\d.?(?:digit|stellig).{0,20}code|code [àa] \d chiffres|c[óo]digo de \d d[íi]gitos`,
    raw`code (?:that )?(?:we |was |has been |is )?(?:just )?(?:sent|texted)|sent (?:you )?an?.{0,20}code|code.{0,20}(?:envoy|verzonden)`,
    raw`(?:geschickt|gesendet).{0,20}code|code.{0,20}(?:geschickt|gesendet)|c[óo]digo.{0,20}enviad|codice.{0,20}inviat|kod.{0,20}wysła|код.{0,20}отправ`,
  ),
  /** The words above a field, which may also be for another code, such as one to scan. */
  codeAsked: any(
    raw`(?:(?<![a-z])enter|digit|saisi|introdu|ingres|inserisci|insira|voer|wpisz|podaj|введите).{0,40}(?:code|c[óo]dig|codice|kod|код)`,
    raw`code.{0,20}eingeben|eingeben.{0,20}code`,
  ),
  /** The words at a field for a code, where other words say which code. */
  codeField: any(
    raw`code|(?<![a-z])pin(?![a-z])|token|c[óo]dig|codice|kod|код|コード|验证|코드|digit|ziffer|chiffre`,
  ),
  password: any(
    raw`pass.?word|pass.?phrase|passwort|kennwort|mot de passe|contrase[ñn]a|senha|wachtwoord|has[łl][oa]|heslo|l[öo]senord`,
    raw`парол|パスワード|密码|密碼|비밀번호`,
  ),
  /** The button that sends a form. */
  sends: any(
    raw`log.?[io]n|sign.?[io]n|anmeld|einlogg|next|continue|weiter|submit|connexion|connecter|suivant|continuer|valider`,
    raw`acceder|entrar|siguiente|continuar|iniciar|ingresar|accedi|avanti|continua|prosegui|seguinte|avan[cç]ar|acessar`,
    raw`inlogg|aanmeld|volgende|doorgaan|zaloguj|dalej|войти|далее|вход|продолж|ログイン|サインイン|次へ|登录|登入|下一步|로그인|다음`,
  ),
  /** A button that signs in by another site. */
  byOther: any(
    raw`^\s*(?:continue|proceed|weiter|fortfahren|continuer|continuar|continua|prosegui|doorgaan|kontynuuj|продолжить)\s+(?:with|mit|über|avec|con|com|met|via|z|с)\s`,
    raw`(?:log|sign)[\s-]?(?:in|on) (?:with|via|using|through|by|to)\s|(?:mit|über) .{1,40} (?:anmelden|einloggen)|anmelden (?:mit|über)\s`,
    raw`(?:connecter|connexion) (?:avec|via)\s|(?:iniciar sesi[óo]n|acceder|entrar) (?:con|com|mediante)\s|(?:accedi|entra) con\s`,
    raw`(?:inloggen|aanmelden) met\s|zaloguj (?:się )?(?:przez|za pomoc)|войти (?:через|с помощью)|でログイン|でサインイン|(?<![a-z])sso(?![a-z])`,
  ),
  /** The end of a session. */
  ended: any(
    raw`(?:session|login|sign-?in)\s+(?:has |is |was |have )?(?:been )?(?:expired|ended|timed out|over|invalid|terminated)`,
    raw`session time-?out|page has expired|(?:signed|logged)[\s-](?:you )?out|log(?:ged)? in again|sign in again|re-?authenticate|no longer (?:logged|signed) in`,
    raw`(?:sitzung|anmeldung).{0,20}(?:abgelaufen|beendet|ungültig)|abgemeldet|erneut anmelden|wieder anmelden`,
    raw`session.{0,20}(?:expir|termin)|d[ée]connect[ée]|sesi[óo]n.{0,20}(?:expir|caduc|finaliz|cerrad)`,
    raw`sess[ãa]o.{0,20}(?:expir|encerr|termin)|sessione.{0,20}(?:scadut|termin)|sessie.{0,20}(?:verlopen|beëindigd)|uitgelogd`,
    raw`sesja.{0,20}wygas|wylogowan|сес[сі]и.{0,20}(?:истек|заверш)|セッション.{0,20}(?:切れ|終了|タイムアウト)|会话.{0,10}(?:过期|失效)|세션.{0,10}만료`,
  ),
  welcome: any(
    raw`welcome|willkommen|bienvenu|bienvenid|benvenut|bem-vind|welkom|witamy|v[íi]tejte|добро пожаловать|ようこそ|欢迎|歡迎|환영`,
  ),
  stay: any(
    raw`(?:stay|remain|keep (?:me|you)) (?:signed|logged) in|angemeldet bleiben|rester connect|mantener la sesi`,
    raw`permanec\w+ conectad|aangemeld blijven|resta connesso`,
  ),
  account: any(
    raw`(?:pick|choose|select) (?:an|your|the) (?:\w+ )?account|konto (?:aus)?w[äa]hl|w[äa]hlen? (?:sie )?(?:ein|ihr) konto|konto ausw`,
    raw`(?:choisi|s[ée]lectionn)\w* (?:un|votre) compte|(?:elig|elij|seleccion)\w+ (?:una|tu|su) cuenta|(?:scegli|seleziona) un account`,
    raw`(?:escolh|selecion)\w+ uma conta|(?:kies|selecteer) een account|account kiezen|wybierz konto|выберите (?:аккаунт|уч[её]тн)`,
    raw`アカウント(?:を|の)選択|选择.?(?:帐|账)|選擇帳|계정 선택`,
  ),
  /** A question on the way from the password to the page, whose answer is a person's. */
  step: any(
    raw`permissions? requested|requests? permission|wants? (?:to )?access|(?:grant|allow|authorize) (?:\S+ ){0,3}access|more information (?:is )?required`,
    raw`approve (?:the |this |a )?(?:sign-?in |login |auth\w* )?request|trust this (?:device|browser|computer)|remember this (?:device|browser|computer)`,
    raw`keep your account secure|help us protect your account|verify (?:it.s you|your identity)|terms of use`,
    raw`berechtigungen angefordert|zugriff (?:erlauben|gewähren)|weitere informationen erforderlich|anforderung genehmigen|diese[mn]? (?:gerät|browser).{0,10}(?:vertrau|merken)`,
    raw`autorisations? demand|plus d.informations (?:sont )?(?:requis|n[ée]cess)|approuve[rz] la demande|confiance à cet appareil|confirmez votre identit`,
    raw`permisos solicitados|m[áa]s informaci[óo]n|aprobar (?:la )?solicitud|confiar en este|autorizzazioni richieste|altre informazioni|approva (?:la )?richiesta`,
    raw`permiss[õo]es solicitadas|mais informa[çc][õo]es|aprovar (?:a )?solicita|meer informatie (?:is )?vereist|aanvraag goedkeuren|apparaat vertrouwen`,
  ),
  /** Words of a step at the login's own site, which shows nothing else. */
  stepThere: any(
    raw`consent|approve|permission|verify|verification|confirm|trust|authori[sz]e|is required|two.?(?:step|factor)|\?\s*$|？\s*$`,
    raw`genehmig|zustimm|berechtig|bestätig|vertrau|erforderlich|autoris(?:er|ation)|approuve|confiance|requis`,
    raw`aprob|permiso|confia|autorizar|autorizza|aprova|goedkeur|toestem|vereist|zatwierd|zezw|подтверд|разреш|承認|許可|確認|同意|授权|允许`,
  ),
  yes: any(raw`^(?:yes|ja|oui|s[ií]|sì|sim|tak|да|はい|是)[.!]?$`),
} as const satisfies Record<string, RegExp>;

export type LoginWords = typeof LOGIN_WORDS;

/** The words as an expression, for pages. */
export const WORDS_EXPRESSION = `({${
  Object.entries(LOGIN_WORDS).map(([name, words]) => `${name}: ${words}`).join(",")
}})`;
