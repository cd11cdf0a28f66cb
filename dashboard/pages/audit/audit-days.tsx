// Audit records by day: a sentence, then old and new values.
// Tested by test/browser/audit.test.ts
import { type AuditRecord, auditSentence } from '../../app/audit-sentence.ts'
import type { AuditDetail } from '../../app/audit-details.ts'
import { isoDay, formatTime } from '../../app/format.ts'
import { Link } from '../../app/router.tsx'
import { Badge } from '../../ui/badge.tsx'

type Names = ReadonlyMap<string, string>

export function AuditDays({
  records,
  names,
  accountName,
}: {
  readonly records: readonly AuditRecord[]
  readonly names: Names
  /** Null: not shown. */
  accountName(id: string | null): string | null
}) {
  const days = Map.groupBy(records, ({ time }) => isoDay(time))
  return (
    <div class="log">
      {[...days].map(([day, ofDay]) => (
        <section key={day} aria-label={day}>
          <h2>{dayTitle(day)}</h2>
          <ul class="plain">
            {ofDay.map((record) => (
              <Change
                key={record.id}
                record={record}
                names={names}
                account={accountName(record.accountId)}
              />
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

const longDay = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})
const dayMs = 86_400_000

function dayTitle(day: string): string {
  const title = longDay.format(Date.parse(day))
  if (day === isoDay(Date.now())) return `Today, ${title}`
  return day === isoDay(Date.now() - dayMs) ? `Yesterday, ${title}` : title
}

function Change({
  record,
  names,
  account,
}: {
  readonly record: AuditRecord
  readonly names: Names
  readonly account: string | null
}) {
  const { actor, verb: words, target, to, details } = auditSentence(record, names)
  return (
    <li>
      <time title={formatTime(record.time)}>
        {new Date(record.time).toISOString().slice(11, 16)}
      </time>
      <span class="avatar round" aria-hidden="true">
        {actor.charAt(0)}
      </span>
      <div>
        <b>{actor}</b> {words}{' '}
        {target !== null && (to === null ? target : <Link to={to}>{target}</Link>)}
        {details.length > 0 && (
          <p class="diff">
            {details.map((detail, at) => (
              <span key={detail.name}>
                {at > 0 && ' · '}
                <Values detail={detail} />
              </span>
            ))}
          </p>
        )}
      </div>
      {account !== null && <Badge>{account}</Badge>}
    </li>
  )
}

function Values({ detail: { name, from, to } }: { readonly detail: AuditDetail }) {
  return (
    <>
      {name}:{' '}
      {from !== null && (
        <del>
          <span class="unseen">was </span>
          {from}
        </del>
      )}
      {from !== null && to !== null && <span aria-hidden="true"> → </span>}
      {to !== null && (
        <ins>
          {from !== null && <span class="unseen"> now </span>}
          {to}
        </ins>
      )}
    </>
  )
}
