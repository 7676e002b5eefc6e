import { CheckField } from '../parts/field.tsx';

/** Says that credentials are stored, or that they have to be entered again, and offers to delete them. */
export function StoredAccess({ isUnreadable }: { readonly isUnreadable: boolean }) {
  return (
    <>
      <p>
        {isUnreadable
          ? 'Needs credentials: the stored ones cannot be read, because the key of this installation was replaced. Enter them again. Until then, runs fail.'
          : 'Credentials are stored. Fields that you leave empty stay unchanged.'}
      </p>
      <CheckField label="Delete the stored credentials" name="forget_access" />
    </>
  );
}
