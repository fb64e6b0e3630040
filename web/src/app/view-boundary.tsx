import { Component, type ReactNode } from 'react';
import { errorText } from '../../../src/base/error-text.ts';
import { TopBar } from './top-bar.tsx';

interface ViewBoundaryProps {
  /** Identifies the view. When it changes, the boundary clears its error. */
  readonly name: string;
  readonly onMenu: () => void;
  readonly children: ReactNode;
}

interface Failure {
  readonly failure: { readonly error: unknown } | undefined;
}

/** Shows why a view failed, as when its code cannot be loaded after an update of the server; the rest of the page stays. */
export class ViewBoundary extends Component<ViewBoundaryProps, Failure> {
  override state: Failure = { failure: undefined };

  static getDerivedStateFromError(error: unknown): Failure {
    return { failure: { error } };
  }

  override componentDidUpdate({ name }: ViewBoundaryProps): void {
    if (name !== this.props.name && this.state.failure !== undefined) this.setState({ failure: undefined });
  }

  override render(): ReactNode {
    const { failure } = this.state;
    if (failure === undefined) return this.props.children;
    return (
      <main className="main">
        <TopBar title="Not available" onMenu={this.props.onMenu} />
        <div className="empty" role="alert">
          <h2>This view cannot be shown</h2>
          <p>{errorText(failure.error)}</p>
          <p>The server may have been updated or cannot be reached. Drafts are kept.</p>
          <button type="button" className="button primary" onClick={() => location.reload()}>
            Load the page again
          </button>
        </div>
      </main>
    );
  }
}
