import { type AnyRouter, useMatches, useParams, useRouter } from '@tanstack/react-router';
import type { ParamsOf, Path } from '../lib/searches.ts';

/**
 * Returns the id of the route of a screen.
 * @param paths the paths of the screen; the last match of the router is one of them
 */
export function useRouteId(paths: readonly Path[]): string {
  const { routesByPath } = useRouter();
  const open = useMatches<AnyRouter, string | undefined>({ select: (matches) => matches.at(-1)?.fullPath });
  const path = paths.find((each) => each === open) ?? paths[0] ?? '/';
  return routesByPath[path]?.id ?? path;
}

/** Returns the path parameters of the screen. @param paths the paths of the screen */
export function usePathParams<On extends Path>(...paths: readonly On[]): ParamsOf<On> {
  return useParams({ from: useRouteId(paths) });
}
