import { type AnyRouter, useMatches, useParams, useRouter } from '@tanstack/react-router';
import type { ParamsOf, Path } from '../lib/searches.ts';

/**
 * Returns the id of the route of a screen.
 * @param paths the paths of the screen
 * @throws Error if the open screen has another path: its search and parameters would have other names
 */
export function useRouteId(paths: readonly Path[]): string {
  const { routesByPath } = useRouter();
  const open = useMatches<AnyRouter, string | undefined>({ select: (matches) => matches.at(-1)?.routeId });
  if (open === undefined || !paths.some((path) => routesByPath[path]?.id === open)) {
    throw new Error(`The route ${open} is none of ${paths.join(', ')}.`);
  }
  return open;
}

/** Returns the path parameters of the screen. @param paths the paths of the screen */
export function usePathParams<On extends Path>(...paths: readonly On[]): ParamsOf<On> {
  return useParams({ from: useRouteId(paths) });
}

/**
 * Returns the path of the open screen, without a slash at the end. The location of the router already names the next screen while
 * that is being loaded.
 */
export function useOpenPath(): string {
  return useMatches<AnyRouter, string>({ select: (matches) => matches.at(-1)?.pathname.replace(/\/$/, '') ?? '' });
}
