// Routing by the path below /dashboard, with the browser history.
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useEffect, useMemo, useState } from 'preact/hooks'

export const base = '/dashboard'

export type Place = {
  /** Below the base, without a trailing slash: `/`, `/keys/key_1`. */
  readonly path: string
  readonly query: URLSearchParams
  /** `to`: path below the base, optionally with a query. */
  go(to: string, options?: { readonly replace?: boolean }): void
}

const PlaceContext = createContext<Place | null>(null)

export function usePlace(): Place {
  const place = useContext(PlaceContext)
  if (place === null) throw new Error('there is no Router above')
  return place
}

export function Router({ children }: { readonly children: ComponentChildren }) {
  const [href, setHref] = useState(() => location.pathname + location.search)
  useEffect(() => {
    const follow = (): void => setHref(location.pathname + location.search)
    addEventListener('popstate', follow)
    return () => removeEventListener('popstate', follow)
  }, [])
  const place = useMemo((): Place => {
    const [path = '', query = ''] = href.split('?', 2)
    return {
      path: path.slice(base.length).replace(/\/$/, '') || '/',
      query: new URLSearchParams(query),
      go(to, { replace = false } = {}) {
        const next = base + to
        if (replace) history.replaceState(null, '', next)
        else history.pushState(null, '', next)
        setHref(next)
        scrollTo(0, 0)
      },
    }
  }, [href])
  return <PlaceContext.Provider value={place}>{children}</PlaceContext.Provider>
}

type LinkProps = {
  /** Path below the base. */
  readonly to: string
  readonly class?: string
  readonly 'aria-current'?: 'page'
  readonly 'aria-label'?: string
  readonly title?: string
  readonly children: ComponentChildren
}

/** A link within the dashboard. With a modifier key or another button, the browser handles it. */
export function Link({ to, children, ...rest }: LinkProps) {
  const place = usePlace()
  const follow = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) {
      return
    }
    event.preventDefault()
    place.go(to)
  }
  return (
    <a {...rest} href={base + to} onClick={follow}>
      {children}
    </a>
  )
}
