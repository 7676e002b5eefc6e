import Type from 'typebox';

const SELECTOR = 'A CSS selector. If several elements match, the first is used.';
/** What must be true of a page. */
export const PAGE_TEST = Type.Object(
  {
    url: Type.Optional(Type.String({ description: 'Part of the URL of the page.' })),
    selector: Type.Optional(Type.String({ description: 'The CSS selector of a visible element.' })),
    text: Type.Optional(Type.String({ description: 'Part of the visible text of the page.' })),
  },
  { additionalProperties: false },
);
const SECRET = (description: string) =>
  Type.Optional(
    Type.Union([Type.String(), Type.Literal(true)], {
      description: `${description} Stored encrypted and never shown. Responses contain \`true\` in its place; send \`true\` to keep the stored secret.`,
    }),
  );

/** A step of a login or a journey. */
export const LOGIN_STEP = Type.Object(
  {
    open: Type.Optional(Type.String({ description: 'Opens a URL.' })),
    fill: Type.Optional(
      Type.String({ description: `Fills a field with \`value\`, \`secret\` or \`totp\`. ${SELECTOR}` }),
    ),
    value: Type.Optional(
      Type.String({ description: 'The text for `fill`, or the value or label of the option for `select`.' }),
    ),
    secret: SECRET('A secret text for `fill`, such as a password.'),
    totp: SECRET('For `fill`: the key of one-time passwords (TOTP), in base32 or as an `otpauth://…` URL.'),
    click: Type.Optional(Type.String({ description: `Clicks an element. ${SELECTOR}` })),
    press: Type.Optional(
      Type.String({ description: 'Presses a key, such as `Enter` or `Control+A`, in the focused element.' }),
    ),
    select: Type.Optional(Type.String({ description: `Selects an option of a list. ${SELECTOR}` })),
    wait_for: Type.Optional(
      Type.With(PAGE_TEST, { description: 'Waits until all given conditions are met, for up to 30 seconds.' }),
    ),
    expect: Type.Optional(
      Type.With(PAGE_TEST, { description: 'Fails unless all given conditions are met within 5 seconds.' }),
    ),
  },
  { additionalProperties: false, description: 'One action, with its value.' },
);

export const CHECK_STEP = Type.Optional(
  Type.String({
    description:
      'Checks the page in its current state and adds it to the report under this name, which must be unique in the journey.',
  }),
);

/** A journey, as it is shown: true stands for each secret. */
export const JOURNEY = Type.Object(
  {
    name: Type.String({ description: 'Its name, which must be unique in the report.', examples: ['Checkout'] }),
    steps: Type.Array(
      Type.Object(
        {
          ...LOGIN_STEP.properties,
          check: CHECK_STEP,
        },
        { additionalProperties: false, description: 'One action, with its value.' },
      ),
      { description: 'The first one opens a URL, or a path of the site such as `/shop`.' },
    ),
  },
  { additionalProperties: false },
);
