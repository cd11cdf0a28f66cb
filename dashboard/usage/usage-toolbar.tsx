// The toolbar of the Usage page: period or custom time, account, key, network, method, comparison and time zone.
// Tested by test/browser/usage.test.ts
import { KeyField } from '../app/choose-key.tsx'
import type { KeyOptions } from '../app/key-options.ts'
import { useSession } from '../app/session.tsx'
import { fieldOf, timeIn } from '../ui/chart-scale.ts'
import { Pick, Segments } from '../ui/toolbar.tsx'
import { type UsageQuery, windows } from './usage-query.ts'

const hourMs = 3_600_000

type Choices = {
  /** Null: not loaded yet. */
  readonly keys: KeyOptions | null
  readonly networks: readonly string[]
  readonly methods: readonly string[]
  readonly hasIpfs: boolean
}

export function UsageToolbar({
  shown,
  choices,
  onShow,
}: {
  readonly shown: UsageQuery
  readonly choices: Choices
  onShow(shown: UsageQuery): void
}) {
  const { period, isOfAll, keyId, network, method, isIpfs, isCompared, zone } = shown
  const change = (to: Partial<UsageQuery>): void => onShow({ ...shown, ...to })
  const own = typeof period === 'string' ? null : period
  return (
    <>
      <Segments
        title="Period"
        value={typeof period === 'string' ? period : 'own'}
        options={[...windows, { value: 'own', title: 'From–to' }]}
        onValue={(value) => change({ period: value === 'own' ? (own ?? lastDay()) : value })}
      />
      {own !== null && (
        <>
          <TimeField
            title="From"
            value={own.from}
            zone={zone}
            onValue={(from) => change({ period: { ...own, from } })}
          />
          <TimeField
            title="To"
            value={own.until}
            zone={zone}
            onValue={(until) => change({ period: { ...own, until } })}
          />
        </>
      )}
      <AccountPick shown={shown} onShow={onShow} />
      {!isOfAll && choices.keys !== null && (
        <KeyField
          title="Key"
          keys={choices.keys}
          value={keyId}
          all="all"
          onValue={(key) => change({ keyId: key })}
        />
      )}
      <Pick
        title="Network"
        value={isIpfs ? '/ipfs' : network}
        options={[
          { value: '', title: 'all' },
          ...withChosen(choices.networks, network).map((name) => ({ value: name, title: name })),
          // No network name contains a slash.
          ...(choices.hasIpfs || isIpfs ? [{ value: '/ipfs', title: 'IPFS API' }] : []),
        ]}
        onValue={(value) =>
          change({ isIpfs: value === '/ipfs', network: value === '/ipfs' ? '' : value })
        }
      />
      <Pick
        title="Method"
        value={method}
        options={[
          { value: '', title: 'all' },
          ...withChosen(choices.methods, method).map((name) => ({ value: name, title: name })),
        ]}
        onValue={(value) => change({ method: value })}
      />
      <Pick
        title="Compare"
        value={isCompared ? 'before' : ''}
        options={[
          { value: '', title: 'nothing' },
          { value: 'before', title: 'period before' },
        ]}
        onValue={(value) => change({ isCompared: value === 'before' })}
      />
      <Segments
        title="Time zone"
        value={zone}
        options={[
          { value: 'utc', title: 'UTC' },
          { value: 'local', title: 'Local' },
        ]}
        onValue={(value) => change({ zone: value })}
      />
    </>
  )
}

/** Renders nothing for people with one account. */
function AccountPick({
  shown,
  onShow,
}: {
  readonly shown: UsageQuery
  onShow(shown: UsageQuery): void
}) {
  const { account, accounts, chooseAccount, isOperator } = useSession()
  if (account === null || (accounts.length < 2 && !isOperator)) return null
  return (
    <Pick
      title="Account"
      value={shown.isOfAll ? '*' : account.id}
      unset={account.id}
      options={[
        ...(isOperator ? [{ value: '*', title: 'all accounts' }] : []),
        ...accounts.map(({ id, name }) => ({ value: id, title: name })),
      ]}
      onValue={(id) => {
        if (id !== '*') chooseAccount(id)
        onShow({ ...shown, isOfAll: id === '*', keyId: '' })
      }}
    />
  )
}

function TimeField({
  title,
  value,
  zone,
  onValue,
}: {
  readonly title: string
  /** Milliseconds since 1970. */
  readonly value: number
  readonly zone: UsageQuery['zone']
  onValue(value: number): void
}) {
  return (
    <label class="pick set time">
      {title}:
      <input
        type="datetime-local"
        aria-label={title}
        value={fieldOf(value, zone)}
        onChange={(event) => {
          const time = timeIn(event.currentTarget.value, zone)
          if (time !== null) onValue(time)
        }}
      />
    </label>
  )
}

/** Adds the selected name to its list, even if no call in the period has it. */
function withChosen(names: readonly string[], chosen: string): readonly string[] {
  return chosen === '' || names.includes(chosen) ? names : [...names, chosen]
}

/** The last 24 hours, starting at a full hour. */
function lastDay(): { readonly from: number; readonly until: number } {
  const until = Math.floor(Date.now() / hourMs) * hourMs
  return { from: until - 24 * hourMs, until }
}
