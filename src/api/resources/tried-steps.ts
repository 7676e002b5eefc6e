import Type from 'typebox';
import { codeOf, fullSentenceOf } from '../../domain/failures/failure.ts';
import { failureCode, nullable } from '../../domain/schemas.ts';
import type { StepsTest } from '../../logins/try-steps.ts';

/** The attributes of steps that were tried. @param actions what a step can do */
export function triedAttributes<const Action extends string>(
  actions: readonly Action[],
  { works, error }: { readonly works: string; readonly error: string },
) {
  return {
    works: Type.Boolean({ description: works, examples: [true] }),
    error: nullable(Type.String(), 'Why they do not work; null if they do.', { examples: [null, error] }),
    error_code: failureCode('error'),
    failed_step: nullable(
      Type.Integer({ minimum: 1 }),
      'The number of the step that failed, from 1; null if all steps worked.',
      { examples: [null, 3] },
    ),
    steps: Type.Array(
      Type.Object({
        action: Type.Enum([...actions], { description: 'What it does.' }),
        done: Type.Boolean({ description: 'Whether it worked.' }),
        screenshot: nullable(
          Type.String(),
          'The page after the step: a `data:` URL of an image in WebP. Null if the step was not reached, or if the page shows a secret.',
          { examples: [null] },
        ),
      }),
      { description: 'The steps, in order.' },
    ),
  };
}

/** @param actions the actions of all steps, in their order */
export function renderTried<Action extends string>(
  { failure, failedStep, screenshots }: StepsTest,
  actions: readonly Action[],
) {
  return {
    works: failure === null,
    error: fullSentenceOf(failure),
    error_code: codeOf(failure),
    failed_step: failedStep === null ? null : failedStep + 1,
    steps: actions.map((action, index) => {
      const screenshot = screenshots[index] ?? null;
      return {
        action,
        done: index < screenshots.length && index !== failedStep,
        screenshot: screenshot && `data:image/webp;base64,${screenshot.toString('base64')}`,
      };
    }),
  };
}
