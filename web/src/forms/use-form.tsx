import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ApiError, isShortOfCredits } from 'sitewarden-client/errors';
import { reasonOf } from '../lib/formats.ts';
import { withLabel } from '../lib/labels.ts';
import type { FormError } from '../parts/error-summary.tsx';

/** Returns what is wrong with a field; undefined if nothing is. */
export type ErrorOf = (field: string) => string | undefined;

/** A form while it is filled in and sent. */
export interface FormState {
  readonly errors: readonly FormError[];
  readonly isBusy: boolean;
  readonly errorOf: ErrorOf;
  onSubmit(event: FormEvent<HTMLFormElement>): void;
}

/**
 * Submits a form once at a time, and keeps what the service refuses. What was typed stays.
 * @param submit sends the fields; throws ApiError with the names of the fields that are wrong
 */
export function useForm(submit: (fields: FormData) => Promise<void>): FormState {
  const [errors, setErrors] = useState<readonly FormError[]>([]);
  const [isBusy, setBusy] = useState(false);
  const run = async (form: HTMLFormElement): Promise<void> => {
    setBusy(true);
    try {
      await submit(new FormData(form));
      setErrors([]);
    } catch (error) {
      setErrors(errorsOf(error, form));
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

/** An error of a field that the form does not have is one of the whole form. */
function errorsOf(error: unknown, form: HTMLFormElement): FormError[] {
  if (!(error instanceof ApiError)) return [{ field: null, detail: reasonOf(error) }];
  return error.items.map(({ field, detail }) => ({
    field: field !== null && form.elements.namedItem(field) !== null ? field : null,
    detail: withLabel(detail, field),
    ...(isShortOfCredits(error) && { way: <Link to="/account/credits">Your credits</Link> }),
  }));
}
