// A limit that may be absent: an empty field is no limit, 0 is nothing at all.
import { TextField } from '../../ui/field.tsx'

export function LimitField({
  title,
  hint,
  value,
  unit = 1,
  error,
  onValue,
}: {
  readonly title: string
  readonly hint?: string
  readonly value: number | null
  /** What the field counts in: 1048576 shows MiB. */
  readonly unit?: number
  readonly error?: string | null
  onValue(value: number | null): void
}) {
  return (
    <TextField
      title={title}
      hint={hint}
      error={error}
      type="number"
      inputMode="numeric"
      placeholder="no limit"
      autocomplete="off"
      value={value === null ? '' : String(value / unit)}
      onValue={(text) => onValue(text === '' ? null : Math.round(Number(text) * unit))}
    />
  )
}
