export const AnnealerPage = () => <div className="page">annealer</div>;
