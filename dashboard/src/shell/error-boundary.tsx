import { Component, type ReactNode } from 'react';
import { ErrorState } from '../components/states.tsx';
import { PageHeader } from './page-header.tsx';

/** Shows an error instead of children that fail to render or whose code cannot be loaded. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined };

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <>
        <PageHeader title="Something went wrong" />
        <ErrorState error={error} retry={() => location.reload()} />
      </>
    );
  }
}
