// Settings of the account: who can read its pins, its billing card, its alerts; for operators, those of the server.
// Tested by test/browser/settings.test.ts
import { usePlace } from '../app/router.tsx'
import { useAccount } from '../app/session.tsx'
import { useMay } from '../app/use-may.ts'
import { PublicPins } from '../files/public-pins.tsx'
import { PageHead } from '../ui/card.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { AlertsCard } from '../usage/alerts-card.tsx'
import { BillingCard } from './card.tsx'
import { BackupsCard } from './settings/backups-card.tsx'
import { MailCard, SecurityCard, SignOnCard } from './settings/server-cards.tsx'

const ofAccount = [
  { name: 'general', title: 'General' },
  { name: 'billing', title: 'Billing' },
] as const
const ofOwner = [{ name: 'alerts', title: 'Alerts' }] as const
const ofOperator = [
  { name: 'backups', title: 'Backups' },
  { name: 'sign-on', title: 'Single sign-on' },
  { name: 'mail', title: 'Mail' },
  { name: 'security', title: 'Security' },
] as const

type Tab =
  | (typeof ofAccount)[number]['name']
  | (typeof ofOwner)[number]['name']
  | (typeof ofOperator)[number]['name']

export function SettingsPage() {
  const account = useAccount()
  const isOwner = useMay('owner')
  const isOperator = useMay('operator')
  const { path, query, go } = usePlace()
  const tabs: readonly { readonly name: Tab; readonly title: string; readonly heading?: string }[] =
    [
      ...under(account.name, [...ofAccount, ...(isOwner ? ofOwner : [])]),
      ...(isOperator ? under('Server', ofOperator) : []),
    ]
  const requestedTab = path === '/card' ? 'billing' : query.get('tab')
  const tab = tabs.find(({ name }) => name === requestedTab)?.name ?? 'general'
  return (
    <>
      <PageHead title="Settings" />
      <Tabs
        title="Settings"
        tabs={tabs}
        chosen={tab}
        onChoose={(name) => go(`/settings?tab=${name}`, { replace: true })}
      >
        {tab === 'general' && <PublicPins />}
        {tab === 'billing' && <BillingCard />}
        {tab === 'alerts' && <AlertsCard account={account.id} />}
        {tab === 'backups' && <BackupsCard />}
        {tab === 'sign-on' && <SignOnCard />}
        {tab === 'mail' && <MailCard />}
        {tab === 'security' && <SecurityCard />}
      </Tabs>
    </>
  )
}

/** The first of the tabs bears the heading of all. */
function under<Of extends object>(
  heading: string,
  tabs: readonly Of[],
): readonly (Of & { readonly heading?: string })[] {
  return tabs.map((tab, at) => (at === 0 ? { ...tab, heading } : tab))
}
