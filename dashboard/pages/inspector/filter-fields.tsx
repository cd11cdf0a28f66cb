// Filter of the shown requests.
import { SelectField, TextField } from '../../ui/field.tsx'

/** As sent to the API; empty: all. */
export type RequestFilter = {
  readonly method: string
  readonly outcome: string
  readonly network: string
  readonly msMin: string
}

const outcomes = [
  { value: '', title: 'All' },
  { value: 'ok', title: 'Answered' },
  { value: 'failed', title: 'Failed or refused' },
  { value: 'refused_by_setting', title: 'Refused by a setting' },
  { value: 'over_rate', title: 'Rate limit exceeded' },
  { value: 'reverted', title: 'Reverted' },
]

export function FilterFields({
  filter,
  networks,
  onFilter,
}: {
  readonly filter: RequestFilter
  readonly networks: readonly string[]
  onFilter(filter: RequestFilter): void
}) {
  const set = (changes: Partial<RequestFilter>): void => onFilter({ ...filter, ...changes })
  return (
    <div class="grid filters">
      <TextField
        title="Method"
        value={filter.method}
        placeholder="eth_call"
        maxLength={128}
        autocomplete="off"
        onValue={(method) => set({ method: method.trim() })}
      />
      <SelectField
        title="Outcome"
        value={filter.outcome}
        options={outcomes}
        onValue={(outcome) => set({ outcome })}
      />
      <SelectField
        title="Network"
        value={filter.network}
        options={[
          { value: '', title: 'All' },
          ...networks.map((name) => ({ value: name, title: name })),
        ]}
        onValue={(network) => set({ network })}
      />
      <TextField
        title="Slower than, ms"
        type="number"
        inputMode="numeric"
        value={filter.msMin}
        placeholder="0"
        onValue={(msMin) => set({ msMin })}
      />
    </div>
  )
}
