// Toolbar of the requests: key, method, outcome, network, duration.
import type { Choices } from '../../app/choose-key.tsx'
import { Pick, SearchBox } from '../../ui/toolbar.tsx'

/** As sent to the API; empty: all. */
export type RequestFilter = {
  readonly method: string
  readonly outcome: string
  readonly network: string
  readonly msMin: string
}

export const noFilter: RequestFilter = { method: '', outcome: '', network: '', msMin: '' }

const outcomes = [
  { value: '', title: 'all' },
  { value: 'ok', title: 'answered' },
  { value: 'failed', title: 'not answered' },
  { value: 'reverted', title: 'reverted' },
  { value: 'bad_params', title: 'invalid params' },
  { value: 'refused_by_setting', title: 'not allowed' },
  { value: 'over_rate', title: 'rate limit' },
  { value: 'no_upstream', title: 'no upstream' },
]

const durations = [
  { value: '', title: 'any' },
  { value: '10', title: '10 ms' },
  { value: '100', title: '100 ms' },
  { value: '1000', title: '1 s' },
  { value: '5000', title: '5 s' },
]

export function RequestFilters({
  choices,
  chosenKey,
  filter,
  onFilter,
  onKey,
}: {
  readonly choices: Choices
  readonly chosenKey: string
  readonly filter: RequestFilter
  onFilter(filter: RequestFilter): void
  onKey(key: string): void
}) {
  const set = (changes: Partial<RequestFilter>): void => onFilter({ ...filter, ...changes })
  return (
    <div class="toolbar">
      <SearchBox
        title="Method"
        value={filter.method}
        onValue={(method) => set({ method: method.trim() })}
      />
      <Pick
        title="Key"
        value={chosenKey}
        options={choices.keys.map(({ id, title }) => ({ value: id, title }))}
        onValue={onKey}
      />
      {choices.networks.length > 1 && (
        <Pick
          title="Network"
          value={filter.network}
          options={[
            { value: '', title: 'all' },
            ...choices.networks.map((name) => ({ value: name, title: name })),
          ]}
          onValue={(network) => set({ network })}
        />
      )}
      <Pick
        title="Outcome"
        value={filter.outcome}
        options={outcomes}
        onValue={(outcome) => set({ outcome })}
      />
      <Pick
        title="Slower than"
        value={filter.msMin}
        options={durations}
        onValue={(msMin) => set({ msMin })}
      />
      <small class="soft end">Last 200, in memory only</small>
    </div>
  )
}
