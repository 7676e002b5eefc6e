import { AppError } from '../platform/errors.ts';
import type { Shortage } from '../store/credits.ts';

const MESSAGES: Readonly<Record<Shortage, string>> = {
  account: 'There are not enough credits left. Ask who runs this service for more.',
  guest: "The guest's credits of this month are used up. Ask the host to raise the limit, or wait for the next month.",
};

export function creditsExhausted(shortage: Shortage): AppError {
  return new AppError('credits_exhausted', MESSAGES[shortage]);
}
