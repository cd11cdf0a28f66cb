// Number of problems of the server by the page that helps, for the navigation of operators.
// Tested by test/browser/overview.test.ts
import { useMemo } from 'preact/hooks'
import { call } from './api.ts'
import { attentionOf } from './attention.ts'
import { useLoaded } from './use-loaded.ts'
import { useMay } from './use-may.ts'

const refreshMs = 60_000

/** By path of a page, `/networks`. Empty for others than operators, and while it is not known. */
export function useAttentionCounts(): ReadonlyMap<string, number> {
  const isOperator = useMay('operator')
  const found = useLoaded(
    async (signal) => {
      if (!isOperator) return {}
      const [status, upstreams, backups] = await Promise.all([
        call('GET /status', {}, signal),
        call('GET /upstreams', {}, signal),
        call('GET /backups/state', {}, signal),
      ])
      return { status, upstreams, backups }
    },
    [isOperator],
    { everyMs: refreshMs },
  )
  return useMemo(() => {
    const counts = new Map<string, number>()
    for (const { to } of attentionOf(found.value ?? {}, Date.now())) {
      const [path = ''] = to.split('?')
      counts.set(path, (counts.get(path) ?? 0) + 1)
    }
    return counts
  }, [found.value])
}
