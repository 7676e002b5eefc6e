import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { TObject } from 'typebox';
import { attributeFaults } from '../platform/attribute-faults.ts';
import { predicateOf } from '../platform/fault.ts';
import { isObject } from '../platform/json-object.ts';

/**
 * Returns the schema of a tool's arguments for the SDK. Errors show agents what is wrong with each argument and its allowed
 * values, so that their next call is right.
 */
export function argumentsLike(input: TObject): StandardSchemaWithJSON<object, object> {
  // Examples are only for error messages: agents have the schemas of all tools in their context all the time.
  const schema: Record<string, unknown> = JSON.parse(
    JSON.stringify(input, (key, value) => (key === 'examples' ? undefined : value)),
  );
  return {
    '~standard': {
      version: 1,
      vendor: 'sitewarden',
      jsonSchema: { input: () => schema, output: () => schema },
      validate(given) {
        const problems = isObject(given) ? argumentProblems(input, given) : ['The arguments must be an object.'];
        return problems.length === 0 ? { value: given as object } : { issues: [{ message: problems.join(' ') }] };
      },
    },
  };
}

function argumentProblems(input: TObject, given: Readonly<Record<string, unknown>>): string[] {
  const problems = [...attributeFaults(input, given)].map(([path, fault]) => {
    const name = path.replaceAll('/', '.');
    if (!Object.hasOwn(given, name) && Object.hasOwn(input.properties, name)) return `${name} is required.`;
    const sentence = predicateOf(fault).replace('known attribute', 'known argument');
    return `${name} ${sentence}${sentence.endsWith('?') ? '' : '.'}`;
  });
  const isUnclear = Object.keys(given).some((name) => !Object.hasOwn(input.properties, name));
  return isUnclear ? [...problems, `The arguments are: ${Object.keys(input.properties).join(', ')}.`] : problems;
}
