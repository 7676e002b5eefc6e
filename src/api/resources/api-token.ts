import Type from 'typebox';
import { owned, type Viewer } from '../../accounts/access.ts';
import { createOwnToken, revokeToken } from '../../accounts/tokens.ts';
import { readTime } from '../../domain/read-time.ts';
import { DECIMAL_ID, LIFE, nullable, TIMESTAMP } from '../../domain/schemas.ts';
import { utcTime } from '../../platform/utc-time.ts';
import { findToken, listTokens, type TokenInfo } from '../../store/accounts/api-tokens.ts';
import { expirySchema } from '../attributes/expiry.ts';
import { tokenNameMaxCharacters } from '../attributes/limits.ts';
import { PAGING_QUERY } from '../attributes/parameters.ts';
import { bodyEndpoint, type Call, endpoint, listed, listOf, NOTHING, newOne, one } from '../http/endpoint.ts';
import { readAttributes } from '../jsonapi/attributes.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { attributeProblem, RequestError } from '../jsonapi/errors.ts';
import { type AttributesOf, resourceType } from '../jsonapi/resource-type.ts';

const NAME = { description: 'A name to recognize it by.', examples: ['nightly build'] };
const SCOPE = Type.Enum(['read', 'write'], {
  default: 'write',
  description: '`read` allows reading only, `write` also allows changes.',
});

const PARTS = {
  description: 'A secret that lets a program act for an account.',
  id: DECIMAL_ID,
  attributes: Type.Object({
    name: Type.String(NAME),
    scope: SCOPE,
    expires_at: nullable(TIMESTAMP, 'When it expires; null means never.', { examples: [null] }),
    last_used_at: nullable(TIMESTAMP, 'When it was last used, to the minute; null if never.'),
    inserted_at: LIFE.inserted_at,
  }),
  relationships: {},
};
const API_TOKEN = resourceType('api_token', PARTS);

/** A token in the response that creates it, the only one with the secret. */
const NEW_API_TOKEN = resourceType('api_token', {
  ...PARTS,
  schema: 'new_api_token',
  attributes: Type.Object({
    ...PARTS.attributes.properties,
    token: Type.String({
      description: 'The token itself. Only included in the response to the request that created it.',
      examples: ['sw_DBy8sQ2tXb0fVn3kZr7mLc5hPw9jTg1aEu4iKo6sMe0'],
    }),
  }),
});

const NEW = Type.Object(
  {
    name: Type.Optional(Type.String({ ...NAME, maxLength: tokenNameMaxCharacters, default: '' })),
    scope: Type.Optional(SCOPE),
    expires_at: Type.Optional(
      expirySchema(
        'When it expires. If you create it with a token that expires, it cannot expire later than that token, and expires at the same time by default.',
      ),
    ),
  },
  { additionalProperties: false },
);

const PARAMS = Type.Object({ api_token_id: DECIMAL_ID });

export const API_TOKEN_ENDPOINTS = [
  bodyEndpoint({
    method: 'POST',
    path: '/api_tokens',
    summary: 'Create an API token',
    description:
      'Creates a token for your account, which can have up to 100 valid tokens. The token is only shown in this response.',
    additive: true,
    answers: newOne(NEW_API_TOKEN),
    body: {
      attributes: NEW,
      example: { name: 'nightly build', scope: 'read', expires_at: '2199-12-31T23:59:59' },
      parse(attributes, viewer) {
        const { name, scope = 'write', expires_at } = readAttributes(NEW, attributes);
        return { name, scope, expiresAt: expiryOf(expires_at, viewer) };
      },
    },
    async answer({ call, body }) {
      const { id, token } = await createOwnToken(call.db, { accountId: call.viewer.accountId, ...body });
      const made = await ownToken(call, { api_token_id: String(id) });
      const parts = renderedToken(made, call);
      return resource(NEW_API_TOKEN, { ...parts, attributes: { ...parts.attributes, token } });
    },
  }),
  endpoint({
    method: 'GET',
    path: '/api_tokens',
    summary: 'List API tokens',
    description:
      'Returns your tokens that have not been revoked, newest first. Expired tokens are deleted after 7 days.',
    additive: true,
    query: PAGING_QUERY,
    answers: listOf(API_TOKEN),
    async answer({ call, paging }) {
      return listed(await listTokens(call.db, call.viewer.accountId, paging), (token) => renderToken(token, call));
    },
  }),
  endpoint({
    method: 'GET',
    path: '/api_tokens/{api_token_id}',
    summary: 'Get an API token',
    description: 'Returns one of your tokens that has not been revoked.',
    additive: true,
    params: PARAMS,
    answers: one(API_TOKEN),
    subject: ownToken,
    answer: async ({ call, subject }) => renderToken(subject, call),
  }),
  endpoint({
    method: 'DELETE',
    path: '/api_tokens/{api_token_id}',
    summary: 'Revoke an API token',
    description: 'The token stops working immediately, even if it was used for this request.',
    additive: true,
    params: PARAMS,
    answers: NOTHING,
    subject: ownToken,
    answer: ({ call, subject }) => revokeToken(call.db, subject.id),
  }),
];

async function ownToken(call: Call, params: { readonly api_token_id: string }): Promise<TokenInfo> {
  return owned(call.viewer, await findToken(call.db, Number(params.api_token_id)));
}

/**
 * Returns when a new token expires. It never outlives the token that creates it, so that a leaked token cannot be extended.
 * @param text undefined if not given
 * @throws RequestError invalid
 */
function expiryOf(text: string | null | undefined, { tokenExpiresAt: latest }: Viewer): Date | null {
  if (text === undefined) return latest;
  const { value } = readTime(text);
  if (latest === null || (value !== null && value <= latest)) return value;
  const problem = `must not be later than ${utcTime(latest)}, when the token used for this request expires`;
  throw new RequestError('invalid', [attributeProblem('expires_at', problem)]);
}

function renderToken(token: TokenInfo, call: Call): Resource {
  return resource(API_TOKEN, renderedToken(token, call));
}

function renderedToken(token: TokenInfo, { links }: Call) {
  const { id, name, scope, expires_at, last_used_at, inserted_at } = token;
  const attributes: AttributesOf<typeof API_TOKEN> = {
    name,
    scope,
    expires_at: utcTime(expires_at),
    last_used_at: utcTime(last_used_at),
    inserted_at: utcTime(inserted_at),
  };
  return { id, attributes, self: links(`/api_tokens/${id}`) };
}
