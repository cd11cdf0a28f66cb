// The store, the last backup and the running time of the server in one strip, for operators.
// Tested by test/browser/overview.test.ts
import type { ComponentChildren } from 'preact'
import type { AdminReply } from '../../../src/admin/client.ts'
import { formatAge, formatBytes, formatTime } from '../../app/format.ts'
import { Link } from '../../app/router.tsx'
import { Figures } from '../../ui/card.tsx'
import { Share, toneOf } from '../../ui/share.tsx'

type Status = AdminReply<'GET /status'>
type Backups = AdminReply<'GET /backups/state'>

/** `now`: milliseconds since 1970 UTC. */
export function ServerFigures({
  status,
  backups,
  now,
}: {
  readonly status: Status
  readonly backups: Backups
  readonly now: number
}) {
  const { store, started, version } = status
  return (
    <Figures
      rows={[
        {
          title: 'Disk, whole server',
          value: (
            <>
              {formatBytes(store.bytes)}
              {store.bytesMax !== null && <small> of {formatBytes(store.bytesMax)}</small>}
            </>
          ),
          about:
            store.bytesMax === null ? (
              'no limit'
            ) : (
              <Share
                part={store.bytes / store.bytesMax}
                tone={toneOf(store.bytes / store.bytesMax)}
              />
            ),
        },
        { title: 'Last backup', ...backupFigure(backups, now) },
        { title: 'Running for', value: formatAge(now - started), about: `version ${version}` },
      ]}
    />
  )
}

function backupFigure(
  { target, everyHours, running, lastSuccess }: Backups,
  now: number,
): { readonly value: string; readonly about: ComponentChildren } {
  if (target === null) {
    return { value: 'off', about: <Link to="/settings?tab=backups">See backups</Link> }
  }
  const plan = running === null ? `every ${everyHours} h` : 'one is running'
  if (lastSuccess === null) return { value: 'none yet', about: plan }
  return {
    value: `${formatAge(now - lastSuccess.ended)} ago`,
    about: (
      <span title={formatTime(lastSuccess.ended)}>
        {`${formatBytes(lastSuccess.bytes)} · ${plan}`}
      </span>
    ),
  }
}
