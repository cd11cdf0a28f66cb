// Pages of audit records, newest first.
// Tested by test/browser/audit.test.ts
import { useEffect, useRef, useState } from 'preact/hooks'
import { type ApiError, call } from '../../app/api.ts'
import type { AuditRecord } from '../../app/audit-sentence.ts'
import { useLoaded } from '../../app/use-loaded.ts'
import { useSending } from '../../ui/form.tsx'

export type AuditScope = 'account' | 'server'

/** Members of the query. */
export type AuditQuery = {
  readonly account?: string
  readonly actor?: string
  readonly actions?: string
  readonly from?: number
  readonly text?: string
}

type AuditPages = {
  readonly records: readonly AuditRecord[]
  /** The first page is still loading. */
  readonly isFirst: boolean
  readonly hasMore: boolean
  /** The limit of shown records is reached. */
  readonly isFull: boolean
  readonly busy: boolean
  readonly error: ApiError | null
  more(): void
  again(): void
}

const pageSize = 25
const shownMax = 1_000

async function load(
  scope: AuditScope,
  query: AuditQuery,
  before: number | undefined,
  signal?: AbortSignal,
): Promise<readonly AuditRecord[]> {
  const page = { ...query, before, limit: pageSize }
  const { records } =
    scope === 'server'
      ? await call('GET /audit', page, signal)
      : await call(
          'GET /accounts/{account}/audit',
          { ...page, account: query.account ?? '' },
          signal,
        )
  return records
}

export function useAuditRecords(scope: AuditScope, query: AuditQuery): AuditPages {
  const question = JSON.stringify([scope, query])
  const current = useRef(question)
  current.current = question
  const first = useLoaded(
    async (signal) => ({ question, records: await load(scope, query, undefined, signal) }),
    [question],
  )
  const [older, setOlder] = useState<readonly AuditRecord[]>([])
  const [isOver, setIsOver] = useState(false)
  const sending = useSending()
  useEffect(() => {
    setOlder([])
    setIsOver(false)
    sending.clear()
  }, [question])
  const found = first.value?.question === question ? first.value.records : null
  const records = [...(found ?? []), ...older]
  const hasMore = found?.length === pageSize && !isOver
  const more = async (): Promise<void> => {
    const next = await load(scope, query, records.at(-1)?.id)
    // The filter changed in the meantime.
    if (current.current !== question) return
    setOlder((were) => [...were, ...next])
    setIsOver(next.length < pageSize)
  }
  return {
    records,
    isFirst: found === null,
    hasMore: hasMore && records.length < shownMax,
    isFull: hasMore && records.length >= shownMax,
    busy: sending.busy,
    error: first.error ?? sending.error,
    more: () => void sending.run(more),
    again: () => (first.error === null ? void sending.run(more) : first.again()),
  }
}
