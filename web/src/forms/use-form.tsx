import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ApiError, isShortOfCredits } from 'sitewarden-client/errors';
import { reasonOf } from '../lib/formats.ts';
import { withLabel } from '../lib/labels.ts';
import type { FormError } from '../parts/error-summary.tsx';
import { IS_BACK, useFailure } from './use-failure.ts';

/** Returns the error of a field; undefined if it has none. */
export type ErrorOf = (field: string) => string | undefined;

/** The state of a form while it is being filled in and submitted. */
export interface FormState {
  readonly errors: readonly FormError[];
  readonly isBusy: boolean;
  readonly errorOf: ErrorOf;
  onSubmit(event: FormEvent<HTMLFormElement>): void;
}

const NO_ERRORS: readonly FormError[] = [];
const BACK_ERRORS: readonly FormError[] = [{ field: null, detail: IS_BACK.message, isSeen: true }];

/**
 * Submits a form, one request at a time, and keeps the errors of the response. The input stays.
 * @param submit sends the fields; throws ApiError with the names of invalid fields
 */
export function useForm(submit: (fields: FormData) => Promise<void>): FormState {
  const [failure, setFailure] = useFailure();
  const [failed, setErrors] = useState(NO_ERRORS);
  const errors = failure === null ? NO_ERRORS : failure === IS_BACK ? BACK_ERRORS : failed;
  const [isBusy, setBusy] = useState(false);
  const run = async (form: HTMLFormElement): Promise<void> => {
    setBusy(true);
    try {
      await submit(new FormData(form));
      setFailure(null);
    } catch (error) {
      setErrors(errorsOf(error, form));
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return {
    errors,
    isBusy,
    errorOf: (field) => errors.find((error) => error.field === field)?.detail,
    onSubmit(event) {
      event.preventDefault();
      if (!isBusy) void run(event.currentTarget);
    },
  };
}

/** An error about a field that the form does not have counts as an error of the whole form. */
function errorsOf(error: unknown, form: HTMLFormElement): FormError[] {
  if (!(error instanceof ApiError)) return [{ field: null, detail: reasonOf(error) }];
  return error.items.map(({ field, detail }) => ({
    field: field !== null && form.elements.namedItem(field) !== null ? field : null,
    detail: withLabel(detail, field),
    ...(isShortOfCredits(error) && { way: <Link to="/account/credits">Your credits</Link> }),
  }));
}
