// Backups of the server: state, schedule, the newest backups at the target, and a backup now. For operators.
// Tested by test/browser/settings.test.ts
import { call, messageOf } from '../../app/api.ts'
import { formatAgo, formatBytes, formatNumber, formatTime } from '../../app/format.ts'
import { useLoaded } from '../../app/use-loaded.ts'
import type { AdminReply } from '../../../src/admin/client.ts'
import { State } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty, Show } from '../../ui/note.tsx'
import { Table } from '../../ui/table.tsx'
import { useToast } from '../../ui/toast.tsx'
import { FileExample, FileSettings } from './file-settings.tsx'

const refreshMs = 5_000
const shownMax = 10

type Backups = AdminReply<'GET /backups/state'>

export function BackupsCard() {
  const toast = useToast()
  const state = useLoaded((signal) => call('GET /backups/state', {}, signal), [], {
    everyMs: refreshMs,
  })
  const begin = async (): Promise<void> => {
    try {
      await call('POST /backups')
      state.again()
    } catch (thrown) {
      toast(messageOf(thrown), 'bad')
    }
  }
  return (
    <div class="stack">
      <Card title="Backups" {...actionsOf(state.value, () => void begin())}>
        <Show loaded={state}>
          {(found) => (found.target === null ? <None /> : <Schedule found={found} />)}
        </Show>
      </Card>
      {state.value !== undefined && state.value.target !== null && (
        <Stored since={state.value.lastSuccess?.id ?? ''} />
      )}
    </div>
  )
}

function actionsOf(found: Backups | undefined, begin: () => void) {
  if (found === undefined || found.target === null) return {}
  return {
    actions: (
      <button class="button small" type="button" disabled={found.running !== null} onClick={begin}>
        Back up now
      </button>
    ),
  }
}

function None() {
  return (
    <>
      <Empty
        title="No backups are configured"
        action={
          <a class="button" href="/docs/guides/back-up-and-upgrade">
            Read the guide
          </a>
        }
      >
        Set backup.to, and Cairn copies its data folder there while it runs.
      </Empty>
      <FileExample
        text={['backup:', '  to: /mnt/backup/cairn', '  everyHours: 24', '  keep: 7'].join('\n')}
      />
    </>
  )
}

function Schedule({ found }: { readonly found: Backups }) {
  const { target, everyHours, keep, lastSuccess, lastFailure } = found
  return (
    <FileSettings
      rows={[
        { title: 'State', value: <StateOf found={found} /> },
        {
          title: 'Last backup',
          value:
            lastSuccess === null ? (
              'none yet'
            ) : (
              <span title={formatTime(lastSuccess.ended)}>
                {`${formatAgo(lastSuccess.ended, Date.now())} · ${formatBytes(lastSuccess.bytes)}`}
              </span>
            ),
        },
        ...(lastFailure === null
          ? []
          : [
              {
                title: 'Failed',
                value: `${formatAgo(lastFailure.time, Date.now())}: ${lastFailure.reason}`,
              },
            ]),
        { title: 'Target', value: target ?? '', name: 'backup.to' },
        { title: 'Schedule', value: `every ${everyHours} h`, name: 'backup.everyHours' },
        { title: 'Kept', value: `${formatNumber(keep)} newest backups`, name: 'backup.keep' },
      ]}
    />
  )
}

function StateOf({ found: { running, lastFailure } }: { readonly found: Backups }) {
  if (running !== null) {
    const { done, total } = running
    return (
      <State>
        {total === 0 ? 'Running' : `Running, ${formatBytes(done)} of ${formatBytes(total)}`}
      </State>
    )
  }
  return lastFailure === null ? (
    <State tone="good">Healthy</State>
  ) : (
    <State tone="bad">Failed</State>
  )
}

/** `since`: the newest backup; a change loads the list again. */
function Stored({ since }: { readonly since: string }) {
  const found = useLoaded((signal) => call('GET /backups', {}, signal), [since])
  return (
    <Card title="Stored backups" flush>
      <Show loaded={found}>
        {({ backups }) => (
          <Table
            caption="Stored backups"
            rows={backups.toReversed()}
            keyOf={({ id }) => id}
            pageSize={shownMax}
            empty={<Empty title="No backups yet" />}
            columns={[
              { title: 'Ended', cell: ({ ended }) => formatTime(ended) },
              {
                title: 'Size',
                number: true,
                unit: '',
                cell: ({ bytes }) => formatBytes(bytes),
              },
              { title: 'Files', number: true, cell: ({ files }) => formatNumber(files) },
              { title: 'Version', hides: 'wide', cell: ({ cairn }) => cairn },
              {
                title: 'Complete',
                keep: true,
                cell: ({ missing }) =>
                  missing === 0 ? (
                    <State tone="good">Complete</State>
                  ) : (
                    <State tone="warn">{`${formatNumber(missing)} segments missing`}</State>
                  ),
              },
            ]}
          />
        )}
      </Show>
    </Card>
  )
}
