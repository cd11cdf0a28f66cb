// Settings of the account: who can read its pins, its billing card, its alerts; for operators, the backups of the server.
// Tested by test/browser/usage.test.ts
import { call } from '../app/api.ts'
import { formatAgo, formatBytes, formatTime } from '../app/format.ts'
import { usePlace } from '../app/router.tsx'
import { useAccount } from '../app/session.tsx'
import { useLoaded } from '../app/use-loaded.ts'
import { useMay } from '../app/use-may.ts'
import { PublicPins } from '../files/public-pins.tsx'
import { State } from '../ui/badge.tsx'
import { Card, Facts, PageHead } from '../ui/card.tsx'
import { Empty, Show } from '../ui/note.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { useToast } from '../ui/toast.tsx'
import { AlertsCard } from '../usage/alerts-card.tsx'
import { BillingCard } from './card.tsx'

const ofAccount = [
  { name: 'general', title: 'General' },
  { name: 'billing', title: 'Billing' },
] as const
const ofOwner = [{ name: 'alerts', title: 'Alerts' }] as const
const ofOperator = [{ name: 'backups', title: 'Backups' }] as const

type Tab =
  | (typeof ofAccount)[number]['name']
  | (typeof ofOwner)[number]['name']
  | (typeof ofOperator)[number]['name']

export function SettingsPage() {
  const account = useAccount()
  const isOwner = useMay('owner')
  const isOperator = useMay('operator')
  const { path, query, go } = usePlace()
  const tabs: readonly { readonly name: Tab; readonly title: string }[] = [
    ...ofAccount,
    ...(isOwner ? ofOwner : []),
    ...(isOperator ? ofOperator : []),
  ]
  const asked = path === '/card' ? 'billing' : query.get('tab')
  const tab = tabs.find(({ name }) => name === asked)?.name ?? 'general'
  return (
    <>
      <PageHead title="Settings" about={`Of the account ${account.name}.`} />
      <Tabs
        title="Settings"
        tabs={tabs}
        chosen={tab}
        onChoose={(name) => go(`/settings?tab=${name}`, { replace: true })}
      >
        {tab === 'general' && <PublicPins />}
        {tab === 'billing' && <BillingCard />}
        {tab === 'alerts' && <AlertsCard account={account.id} />}
        {tab === 'backups' && <Backups />}
      </Tabs>
    </>
  )
}

const refreshMs = 5_000

/** Of the server. */
function Backups() {
  const toast = useToast()
  const state = useLoaded((signal) => call('GET /backups/state', {}, signal), [], {
    everyMs: refreshMs,
  })
  const begin = async (): Promise<void> => {
    try {
      await call('POST /backups')
      state.again()
    } catch (thrown) {
      toast(thrown instanceof Error ? thrown.message : String(thrown), 'bad')
    }
  }
  return (
    <Card title="Backups of the server">
      <Show loaded={state}>
        {({ target, everyHours, keep, running, lastSuccess, lastFailure }) => {
          if (target === null) {
            return (
              <Empty
                title="No backups are configured"
                action={
                  <a class="button" href="/docs/guides/back-up-and-upgrade">
                    Read the guide
                  </a>
                }
              >
                Set backup.target, and Cairn copies its data folder there while it runs.
              </Empty>
            )
          }
          return (
            <>
              <Facts
                rows={[
                  [
                    'State',
                    running !== null ? (
                      <State key="state">Running</State>
                    ) : lastFailure === null ? (
                      <State key="state" tone="good">
                        Healthy
                      </State>
                    ) : (
                      <State key="state" tone="bad">
                        Failed
                      </State>
                    ),
                  ],
                  ['Target', target],
                  ['Every', `${everyHours} h, ${keep} are kept`],
                  [
                    'Last',
                    lastSuccess === null ? (
                      'none yet'
                    ) : (
                      <span key="last" title={formatTime(lastSuccess.ended)}>
                        {`${formatAgo(lastSuccess.ended, Date.now())} · ${formatBytes(lastSuccess.bytes)}`}
                      </span>
                    ),
                  ],
                  ...(lastFailure === null
                    ? []
                    : [
                        [
                          'Failed',
                          `${formatAgo(lastFailure.time, Date.now())}: ${lastFailure.reason}`,
                        ] as const,
                      ]),
                ]}
              />
              <div class="row">
                <button
                  class="button"
                  type="button"
                  disabled={running !== null}
                  onClick={() => void begin()}
                >
                  Back up now
                </button>
              </div>
            </>
          )
        }}
      </Show>
    </Card>
  )
}
