import { Link } from '@tanstack/react-router';
import { SeverityGlyph } from '../parts/severity.tsx';

/** Says that the stored credentials of a site or schedule cannot be read: until someone enters them again, its runs fail. */
export function NeedsCredentials({
  path,
}: {
  /** The path of the settings; null if the viewer cannot change them. */
  readonly path: string | null;
}) {
  const words = (
    <>
      <SeverityGlyph of="failed" /> Needs credentials
    </>
  );
  return path === null ? <span>{words}</span> : <Link to={path}>{words}</Link>;
}
