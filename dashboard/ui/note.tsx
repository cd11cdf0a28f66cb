// What a page has to say in passing: a remark, a warning, an error with a way on. And what it says when there is nothing.
import type { ComponentChildren } from 'preact'
import type { ApiError } from '../app/api.ts'
import type { Loaded } from '../app/use-loaded.ts'

export function Note({
  tone = 'plain',
  children,
}: {
  readonly tone?: 'plain' | 'good' | 'warn' | 'bad'
  readonly children: ComponentChildren
}) {
  return (
    <div class={`note ${tone}`} {...(tone === 'bad' ? { role: 'alert' as const } : {})}>
      {children}
    </div>
  )
}

export function Loading() {
  return (
    <div class="loading" role="status">
      <div class="spinner" />
      <span class="unseen">Loading</span>
    </div>
  )
}

/** An answer of the API that did not come, with its own words and another try. */
export function Problem({ error, again }: { readonly error: ApiError; again?(): void }) {
  return (
    <Note tone="bad">
      <p>{error.message}</p>
      {again !== undefined && (
        <button class="button small" type="button" onClick={again}>
          Try again
        </button>
      )}
    </Note>
  )
}

/** Shows what was loaded, or that it is being loaded, or why it was not. */
export function Show<Value>({
  loaded,
  children,
}: {
  readonly loaded: Loaded<Value>
  readonly children: (value: Value) => ComponentChildren
}) {
  const { value, error, again } = loaded
  if (value === undefined)
    return error === null ? <Loading /> : <Problem error={error} again={again} />
  return (
    <>
      {error !== null && <Problem error={error} again={again} />}
      {children(value)}
    </>
  )
}

export function Empty({
  title,
  children,
  action,
}: {
  readonly title: string
  readonly children?: ComponentChildren
  readonly action?: ComponentChildren
}) {
  return (
    <div class="empty">
      <h3>{title}</h3>
      {children !== undefined && <p>{children}</p>}
      {action}
    </div>
  )
}
