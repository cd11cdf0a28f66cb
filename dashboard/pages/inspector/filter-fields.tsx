// Toolbar of the requests: key, method, outcome, network, duration.
import { type OutcomeClass, outcomeClasses } from '../../../src/base/outcome-class.ts'
import { type Choices, KeyField } from '../../app/choose-key.tsx'
import { classTitles } from '../../app/outcome.ts'
import { Pick, SearchBox } from '../../ui/toolbar.tsx'

/** As sent to the API; empty: all. */
export type RequestFilter = {
  /** Contained in a method, an outcome, an error code or a client address; or a whole request ID. */
  readonly text: string
  readonly class: '' | OutcomeClass
  readonly network: string
  readonly msMin: string
}

export const noFilter: RequestFilter = { text: '', class: '', network: '', msMin: '' }

const outcomes = [
  { value: '' as const, title: 'all' },
  ...outcomeClasses.map((value) => ({ value, title: classTitles[value].toLowerCase() })),
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
        title="Method, error, address or request ID"
        value={filter.text}
        onValue={(text) => set({ text })}
      />
      <KeyField title="Key" keys={choices.keys} value={chosenKey} onValue={onKey} />
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
        value={filter.class}
        options={outcomes}
        onValue={(outcome) => set({ class: outcome })}
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
