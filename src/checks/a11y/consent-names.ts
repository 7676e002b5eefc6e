import type { ConsentChoice } from '../../domain/consent.ts';

/**
 * Patterns of whole names, in lower case and without punctuation at the ends. One group for each kind of name, one line for each
 * language: en, de, fr, es, it, nl, pl, pt, sv, da, nb, fi, cs.
 */
const ACCEPT = [
  "(?:yes,? |ok,? )?(?:i )?(?:accept|allow|agree|consent|enable|approve)(?: to)?(?: (?:and|&) (?:close|continue|proceed))?(?: (?:all|the|these|our|any|use of))*(?: (?:analytics|optional|additional|recommended|tracking))?(?: cookies?)?(?: (?:and|&) (?:close|continue|proceed))?|ok(?:ay)?|got it|that'?s ok|i understand|understood|yes|continue",
  '(?:ich )?(?:ja,? )?(?:(?:alle[ns]?|sämtliche) )?(?:cookies )?(?:akzeptieren|annehmen|erlauben|zulassen|zustimmen)(?: (?:und|&) (?:weiter|weiterlesen|schließen|fortfahren))?|(?:ja,? )?(?:ich )?stimme(?: allen?)?(?: cookies)? zu|(?:ich )?akzeptiere(?: alle)?(?: cookies)?|(?:ich )?bin einverstanden|einverstanden|verstanden|das ist (?:ok|in ordnung)|in ordnung|alles klar|ja',
  "(?:ok,? )?(?:oui,? )?(?:tout |j'?)?accepte[rz]?(?: (?:tout|tous|toutes|et (?:fermer|continuer)|les))*(?: (?:les )?cookies?)?|(?:ok,? )?tout (?:accepter|autoriser)|autoriser(?: tous?)?(?: les cookies)?|j'?ai compris|je suis d'?accord|d'?accord|oui",
  '(?:sí,? )?(?:acepto|aceptar|permitir|consentir|autorizar)(?: (?:y (?:cerrar|continuar)|tod[oa]s?|las|el uso de))*(?: cookies?)?|de acuerdo|entendido|estoy de acuerdo|vale|sí',
  "(?:sì,? )?(?:accetta|accetto|accettare|acconsento|consenti|permetti)(?: (?:e (?:chiudi|continua)|tutt[oie]|i))*(?: cookies?)?|ho capito|va bene|d'?accordo|sì",
  '(?:ja,? )?(?:ik )?(?:ga )?akkoord|(?:ja,? )?(?:alle |alles )?(?:cookies )?(?:accepteren|toestaan|aanvaarden|goedkeuren)|accepteer(?: alle| alles)?(?: cookies)?|sta (?:alle )?cookies toe|ik (?:accepteer|begrijp het)|begrepen|prima|ja',
  '(?:tak,? )?(?:akceptuj[ęe]?|zaakceptuj|zezwól(?: na)?|zgadzam się|zgoda|wyrażam zgodę|przyjmuję)(?: (?:wszystkie|wszystko|i przejdź dalej|i zamknij))*(?: (?:pliki )?cookies?)?|rozumiem|w porządku|tak',
  '(?:sim,? )?(?:aceit(?:ar|o)|permitir|concord(?:o|ar)|consentir)(?: (?:e (?:fechar|continuar)|tod[oa]s?|os|as))*(?: cookies?)?|entendi|percebi|compreendo|de acordo|sim',
  '(?:ja,? )?(?:jag )?(?:accepterar?|godkänn(?:a|er)?|tillåt(?:a|er)?|samtyck(?:er|a)|okej)(?: (?:alla?|och (?:stäng|fortsätt)))*(?: (?:cookies|kakor))?|jag förstår|uppfattat',
  '(?:ja,? )?(?:jeg )?(?:accept(?:er(?:er)?|ér)|tillad|godkend|ja til)(?: (?:alle?|og (?:luk|fortsæt)))*(?: cookies)?|jeg forstår|det er ok',
  '(?:ja,? )?(?:jeg )?(?:godtar?|aksepter(?:er)?|tillat|godkjenn)(?: (?:alle?|og (?:lukk|fortsett)))*(?: (?:cookies|informasjonskapsler))?|greit',
  '(?:hyväksyn?|salli)(?: kaikki)?(?: evästeet)?|selvä|ymmärrän|kyllä',
  '(?:přijmout|přijímám|povolit|souhlasím|akceptovat)(?: (?:vše|všechny|a pokračovat))*(?: (?:soubory )?cookies?)?|rozumím|ano',
];
const REJECT = [
  "(?:no,? )?(?:i )?(?:reject|decline|deny|refuse|disagree|disallow|disable|do not accept|don'?t accept|do not consent|do not agree|opt out)(?: (?:all|non-essential|additional|optional|analytics|tracking|the|these|any))*(?: cookies?)?(?: (?:and|&) (?:close|continue))?|continue without (?:accepting|agreeing|consent)|no(?:,? thanks)?",
  '(?:ich )?(?:nein,? )?(?:(?:alle[ns]?|optionale) )?(?:cookies )?(?:ablehnen|verweigern|verbieten)|(?:ich )?lehne(?: alle| sie)? ab|nicht (?:zustimmen|akzeptieren)|(?:weiter )?ohne (?:zustimmung|einwilligung|zu akzeptieren)(?: weiter| fortfahren)?|nein(?:,? danke)?',
  '(?:tout |je )?(?:refuse[rz]?|rejeter|interdire|décliner)(?: (?:tout|tous|toutes|et (?:fermer|continuer)|les))*(?: (?:les )?cookies?)?|continuer sans accepter|non(?:,? merci)?',
  '(?:rechazar|rechazo|denegar|no acept(?:ar|o))(?: (?:tod[oa]s?|las|y (?:cerrar|continuar)))*(?: cookies?)?(?: opcionales)?|continuar sin aceptar|no(?:,? gracias)?',
  '(?:rifiut(?:a|o|are)|nega|non accett(?:o|are))(?: (?:tutt[oie]|i|e (?:chiudi|continua)))*(?: cookies?)?|continua senza accettare|no(?:,? grazie)?',
  '(?:alle |alles )?(?:optionele )?(?:cookies )?(?:weigeren|afwijzen)|weiger(?: alle| alles)?(?: cookies)?|wijs (?:alle|alles)(?: cookies)? af|(?:doorgaan )?zonder (?:te )?(?:accepteren|toestemming)|niet akkoord|nee(?:,? (?:bedankt|dank je))?',
  '(?:odrzuć|odmów|odmawiam|odrzucam|nie zgadzam się|nie akceptuję)(?: (?:wszystkie|wszystko|opcjonalne))*(?: (?:pliki )?cookies?)?|kontynuuj bez (?:akceptacji|zgody)|nie(?:,? dziękuję)?',
  '(?:rejeitar|recus(?:ar|o)|negar|não aceit(?:o|ar))(?: (?:tod[oa]s?|os|e (?:fechar|continuar)))*(?: cookies?)?(?: opcionais)?|continuar sem aceitar|não(?:,? obrigad[oa])?',
  '(?:avvisar?|neka|avböj|tillåt inte|acceptera inte|nej till)(?: (?:alla?|valfria))*(?: (?:cookies|kakor))?|fortsätt utan att (?:acceptera|godkänna)|nej(?:,? tack)?',
  '(?:afvis|afslå|nej til|tillad ikke)(?: (?:alle?|valgfrie))*(?: cookies)?|fortsæt uden (?:at acceptere|samtykke)|nej(?:,? tak)?',
  '(?:avvis|avslå|nei til)(?: alle?)?(?: (?:cookies|informasjonskapsler))?|nei(?:,? takk)?',
  '(?:hylkää|kiellä|estä|en hyväksy)(?: kaikki)?(?: evästeet)?|ei(?:,? kiitos)?',
  '(?:odmítnout|odmítám|zamítnout|nesouhlasím|nepřijmout)(?: (?:vše|všechny|volitelné))*(?: (?:soubory )?cookies?)?|ne',
];
const NECESSARY = [
  '(?:(?:use|accept|allow|continue with|keep) )?(?:only )?(?:strictly )?(?:necessary|essential|required)(?: cookies?)?(?: only)?',
  '(?:nur )?(?:technisch )?(?:notwendige|erforderliche|essenzielle|essentielle)(?: cookies)?(?: (?:akzeptieren|zulassen|erlauben|verwenden))?',
  '(?:accepter )?(?:uniquement |seulement )?(?:les )?(?:cookies )?(?:strictement )?(?:nécessaires|essentiels|obligatoires)(?: uniquement| seulement)?',
  '(?:(?:solo|sólo|usar solo|aceptar solo) )?(?:las )?(?:cookies )?(?:necesarias|esenciales|imprescindibles)(?: únicamente)?',
  '(?:(?:solo|accetta solo|usa solo) )?(?:i )?(?:cookies? )?(?:tecnici|necessari|essenziali)',
  '(?:(?:alleen|enkel) )?(?:de )?(?:strikt )?(?:noodzakelijke|functionele|essentiële)(?: cookies)?(?: (?:accepteren|toestaan))?',
  '(?:(?:akceptuj )?tylko )?(?:niezbędne|konieczne|wymagane)(?: (?:pliki )?cookies?)?',
  '(?:(?:apenas|só|somente|aceitar apenas) )?(?:os )?(?:cookies? )?(?:necessários|essenciais|obrigatórios)',
  '(?:(?:acceptera|tillåt|godkänn|använd) )?(?:(?:endast|bara) )?(?:de )?nödvändiga(?: (?:cookies|kakor))?',
  '(?:(?:accepter|tillad|brug) )?(?:kun )?(?:de )?(?:nødvendige|tekniske)(?: cookies)?',
  '(?:(?:godta|tillat|bruk) )?(?:(?:kun|bare) )?(?:de )?nødvendige(?: (?:cookies|informasjonskapsler))?',
  '(?:(?:hyväksy|salli) )?(?:(?:vain|ainoastaan) )?(?:välttämättömät|pakolliset)(?: evästeet)?',
  '(?:(?:pouze|jen) )?(?:nezbytné|nutné)(?: (?:soubory )?cookies?)?',
];
const CLOSE = [
  '(?:close|dismiss|hide)(?: (?:this|the))?(?: cookie)?(?: (?:message|banner|notice))?|schließen|fermer|cerrar|chiudi|sluiten|zamknij|fechar|stäng|luk|lukk|sulje|zavřít|[×✕✖x]',
];

/** The names of the buttons that make a choice, the most specific group first. */
export const CHOICE_NAMES: Readonly<Record<ConsentChoice, readonly string[]>> = {
  accept: [ACCEPT, CLOSE].map((group) => group.join('|')),
  reject: [REJECT, NECESSARY, CLOSE].map((group) => group.join('|')),
};

/** Words that occur in text about consent. */
export const CONSENT_WORDS =
  'cookie|consent|gdpr|dsgvo|rgpd|einwilligung|galletas|ciasteczk|toestemming|samtyck|samtykk|kakor|informasjonskapsler|eväste|consenso|témoins de connexion|souhlas';

/** Selectors of the banners of widely used libraries and services. */
export const BANNERS: readonly string[] = [
  ...['#CybotCookiebotDialog', '#onetrust-banner-sdk', '#cc-main .cm', '.klaro .cookie-notice', '.klaro .cookie-modal'],
  ...['#tarteaucitronAlertBig', '.orejime-Banner', '.orejime-BannerContainer', '.cc-window:not(.cc-invisible)'],
  ...['#usercentrics-root', '#didomi-notice', '#didomi-popup', '.qc-cmp2-container', '#truste-consent-track'],
  ...['#cookie-law-info-bar', '.cky-consent-container', '#cmplz-cookiebanner-container', '#BorlabsCookieBox'],
  ...['#iubenda-cs-banner', '#cookiescript_injected', '#termly-code-snippet-support', '.osano-cm-window__dialog'],
  ...['.fc-consent-root', '#ccc-module', '.govuk-cookie-banner', '#hs-eu-cookie-confirmation', '#cookie-notice'],
  ...['#moove_gdpr_cookie_info_bar', '#cmpbox', '#sp-cc', '#coiOverlay', '#cookie-information-template-wrapper'],
  ...['[id^="sp_message_container_"]', '.truste_box_overlay', '.truste_popframe'],
];
