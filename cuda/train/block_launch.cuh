/*
 * Plans and launches of grow_blocks; the end of block.cu.
 */

static int
n_stats_of(const struct rf_grow_view *view)
{
	return view->n_classes > 0 ? view->n_classes : 2;
}

static bool
is_wide(const struct rf_grow_view *view)
{
	return view->n_classes == 0 || view->weights != NULL;
}

size_t
rf_cuda_block_bytes(
    const struct rf_grow_view *view, uint32_t stride, bool with_categories)
{
	struct block_arrays<uint64_t> wide;
	struct block_arrays<uint32_t> narrow;

	if (is_wide(view))
		return lay_out(&wide, (char *)0, n_stats_of(view), stride,
		    with_categories);
	return lay_out(
	    &narrow, (char *)0, n_stats_of(view), stride, with_categories);
}

template <int BLOCK, typename STAT>
static enum rf_status
launch(const struct rf_grow_view *view, int parity, int queue, uint32_t n_nodes,
    const struct rf_block_plan *plan, cudaStream_t stream, struct rf_error *err)
{
	uint32_t n_blocks = n_nodes < plan->n_blocks ? n_nodes : plan->n_blocks;

	/* One value for all forests, as the kernel has it once a process. */
	RF_CUDA_TRY(cudaFuncSetAttribute(grow_blocks<BLOCK, STAT>,
			cudaFuncAttributeMaxDynamicSharedMemorySize,
			(int)plan->shared_limit),
	    err);
	grow_blocks<BLOCK, STAT>
	    <<<n_blocks, BLOCK, plan->shared_bytes, stream>>>(*view, parity,
		queue, n_nodes, *plan, plan->stride, n_stats_of(view),
		plan->with_categories);
	RF_CUDA_TRY(cudaGetLastError(), err);
	return RF_OK;
}

enum rf_status
rf_cuda_grow_blocks(const struct rf_grow_view *view, int parity, int queue,
    uint32_t n_nodes, const struct rf_block_plan *plan, cudaStream_t stream,
    struct rf_error *err)
{
	if (n_nodes == 0)
		return RF_OK;
	if (queue == RF_QUEUE_WARP)
		return is_wide(view) ? launch<32, uint64_t>(view, parity, queue,
					   n_nodes, plan, stream, err)
				     : launch<32, uint32_t>(view, parity, queue,
					   n_nodes, plan, stream, err);
	if (queue == RF_QUEUE_BLOCK)
		return is_wide(view) ? launch<256, uint64_t>(view, parity,
					   queue, n_nodes, plan, stream, err)
				     : launch<256, uint32_t>(view, parity,
					   queue, n_nodes, plan, stream, err);
	return is_wide(view) ? launch<1024, uint64_t>(view, parity, queue,
				   n_nodes, plan, stream, err)
			     : launch<1024, uint32_t>(view, parity, queue,
				   n_nodes, plan, stream, err);
}
